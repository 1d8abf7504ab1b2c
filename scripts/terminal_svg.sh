#!/usr/bin/env bash
# Turns captured terminal text into a picture: standard input to an SVG on standard output. Lines that begin with
# "$ " are commands and are set off; lines that end in "holds" get a green verdict.
#   { echo '$ proxstream ...'; proxstream ...; } | scripts/terminal_svg.sh 'title' >picture.svg
set -euo pipefail
exec awk -v title="${1:-terminal}" '
function escaped(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); return text }
function span(colour, text) { return "<tspan fill=\"" colour "\">" escaped(text) "</tspan>" }
function painted(text,    stem) {
    if (text ~ /^\$ /) return span("#8b949e", "$ ") span("#79c0ff", substr(text, 3))
    if (text ~ / holds$/) { stem = substr(text, 1, length(text) - 5); return escaped(stem) span("#7ee787", "holds") }
    return escaped(text)
}
{ lines[NR] = $0; if (length($0) > columns) columns = length($0) }
END {
    # A cell of a common fixed-width font at 13 pixels; textLength would distort fonts of another width.
    cell = 7.83; row = 18; margin = 16; bar = 30
    width = int(columns * cell + 2 * margin + 1); height = bar + NR * row + margin
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" role=\"img\">\n", width, height, width, height
    printf "<title>%s</title>\n", escaped(title)
    printf "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#0d1117\"/>\n", width, height
    split("#ff5f57 #febc2e #28c840", lights, " ")
    for (i = 1; i <= 3; ++i) printf "<circle cx=\"%d\" cy=\"16\" r=\"5\" fill=\"%s\"/>\n", margin + 2 + 18 * (i - 1), lights[i]
    printf "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, \x27DejaVu Sans Mono\x27, monospace\" font-size=\"13\" fill=\"#e6edf3\">\n"
    for (i = 1; i <= NR; ++i) {
        if (lines[i] == "") continue
        printf "<text x=\"%d\" y=\"%d\" xml:space=\"preserve\">%s</text>\n", margin, bar + i * row - 4, painted(lines[i])
    }
    print "</g>\n</svg>"
}'
