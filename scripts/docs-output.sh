#!/usr/bin/env bash
# Runs the commands of documentation pages and compares their output with what the pages show.
#   PROXSTREAM=build/release/proxstream scripts/docs-output.sh [--write] PAGE...
# The blocks of a page run top to bottom in one shell, in an empty folder with a link to examples/:
#   ```console   commands after "$ " (continued after a backslash or "> ") and their output; "..." stands for any lines
#   ```sh        commands that have to succeed; their output is not compared
#   ```toml      the text of a file, if its first line is a comment with the file's name
# A block after a line <!-- not run: REASON --> is left out. Times and rates are not compared.
# A block after <!-- data: FILE --> has that file of $PROXSTREAM_DATA in its folder; without the file it is skipped.
# A command that ends in "&" has started when it prints its first line. The port 8390 is replaced by a free one.
# --write replaces the figures shown by those of the run, and fills in output that is not shown at all.
# Pages find the programs of examples/ in build/examples, which is a link to the folder $EXAMPLES.
set -uo pipefail
: "${PROXSTREAM:?the program to run}"
root=$(cd "$(dirname "$0")/.." && pwd)
data=$(realpath -m "${PROXSTREAM_DATA:-$root/../shared/data}")
write=no
[ "${1:-}" = --write ] && write=yes && shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin"
ln -s "$(realpath "$PROXSTREAM")" "$work/bin/proxstream"

# Makes a script of a page: command N writes to out.N. Lines of the page that show its output go to shown.N.
has_data='
    function has_data(file,    line, found) {
        found = (getline line < (data "/" file)) > 0
        close(data "/" file)
        return found
    }'
split_page=$has_data'
    function end_command() {
        if (open) { print "} >\"$outputs/out." n "\" 2>&1 || true"; printf "" > (outputs "/shown." n) }
        if (open && background) print "wait_for \"$outputs/out." n "\""
        open = more = background = 0
    }
    /^<!-- not run: / { skip = 1; next }
    /^<!-- data: / { if (has_data($3)) print "ln -sf \"" data "/" $3 "\" ."; else skip = 1; next }
    /^```/ && !kind {
        kind = substr($0, 4)
        if (kind == "") kind = "text"
        if (skip || kind !~ /^(console|sh|toml)$/) kind = "text"
        skip = named = 0
        if (kind == "sh") print "line=" NR
        next
    }
    /^```/ { end_command(); if (kind == "toml" && named) print "END_OF_FILE"; kind = ""; next }
    kind == "sh" { print }
    kind == "toml" && !named && /^# [A-Za-z0-9_.-]+\.[a-z]+$/ { named = 1; print "cat >" $2 " <<'"'END_OF_FILE'"'" }
    kind == "toml" && named { print }
    kind == "console" && /^\$ / { end_command(); ++n; print "line=" NR; print "{"; print substr($0, 3); open = 1; more = /\\$/; background = /&$/; next }
    kind == "console" && open && (more || /^> /) { sub(/^> /, ""); print; more = /\\$/; next }
    kind == "console" { end_command() }
    kind == "console" { print > (outputs "/shown." n) }
    /[^[:space:]]/ && !kind { skip = 0 }'

# Compares shown lines (first file) with output (second file). With write=1 it prints the new lines to show: lines that are
# equal if there are any, else lines with the same words and other numbers.
compare='
    function masked(line) {
        gsub(/[0-9][0-9.e+-]* s[ )]/, "# s ", line)
        gsub(/[0-9][0-9.]*[kM]? rows\/s/, "# rows/s", line)
        gsub(/seconds"?[: ]+[0-9][0-9.e+-]*/, "seconds #", line)
        if (line ~ / seconds( |$)/ && line !~ /seconds #/) column = index(line, " seconds") + 7
        else if (line == "") column = 0
        else if (column && line !~ /^\.\.\.$/ && length(line) >= column) line = substr(line, 1, column - 8) " # " substr(line, column + 1)
        gsub(/ +/, " ", line)
        return line
    }
    function words(line) {
        gsub(/[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?/, "#", line)
        gsub(/ +/, " ", line)
        return line
    }
    FNR == 1 { ++file; column = 0 }
    file == 1 { shown[++n] = $0; shown_masked[n] = masked($0) }
    file == 2 { lines[++m] = $0; lines_masked[m] = masked($0) }
    function matches(first, last, at, loose,    i, a, b) {
        for (i = first; i <= last; ++i) {
            a = shown_masked[i]
            b = lines_masked[at + i - first]
            if (loose ? words(a) != words(b) : a != b) return 0
        }
        return 1
    }
    function place(first, last, from, most, loose,    j) {
        for (j = from; j >= at && j <= most; ++j) if (matches(first, last, j, loose)) return j
        return 0
    }
    END {
        at = 1
        for (i = 1; i <= n + 1; ++i) {
            if (i <= n && shown[i] != "...") continue
            first = previous + 1
            last = i - 1
            most = m - (last - first)
            from = i > n ? most : at
            if (first == 1) from = most = 1
            found = place(first, last, from, most, 0)
            if (!found && write) found = place(first, last, from, most, 1)
            if (last < first) found = at
            if (!found || (first == 1 && i > n && last != m)) { print "lines " first " to " last " of what is shown"; exit 1 }
            if (write) {
                for (j = found; j <= found + last - first; ++j) print lines[j]
                if (i <= n) print "..."
            }
            at = found + last - first + 1
            previous = i
        }
    }'

# Puts the lines of new.N in place of the lines shown by command N.
replace=$has_data'
    function put(    line) {
        if (open) while ((getline line < (outputs "/new." n)) > 0) print line
        open = more = 0
    }
    /^<!-- not run: / { skip = 1 }
    /^<!-- data: / { skip = !has_data($3) }
    /^```/ && !kind { kind = substr($0, 4); if (skip || kind != "console") kind = "text"; skip = 0; print; next }
    /^```/ { put(); kind = ""; print; next }
    kind == "console" && /^\$ / { put(); ++n; open = 1; more = /\\$/; print; next }
    kind == "console" && open && (more || /^> /) { more = /\\$/; print; next }
    kind == "console" { put() }
    kind == "console" { next }
    /[^[:space:]]/ && !kind && !/^<!-- (not run|data): / { skip = 0 }
    { print }'

# wait_for FILE: until it has a line, ten seconds at most.
wait_for() {
    local tries
    for ((tries = 0; tries < 100; ++tries)); do
        [ ! -s "$1" ] || return 0
        sleep 0.1
    done
}

# A port that nothing listens on.
free_port() {
    local port=8390
    while (: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((20000 + RANDOM % 20000)); done
    echo "$port"
}

run_page() {
    local page=$1 name outputs folder shown n problem bad="" port=8390 file
    for file in $(sed -n 's/^<!-- data: \(.*\) -->$/\1/p' "$page" | sort -u); do
        [ -e "$data/$file" ] || echo "skip output of $page with $file: it is not there (set PROXSTREAM_DATA)"
    done
    ! grep -qw 8390 "$page" || port=$(free_port)
    name=$(basename "$page" .md)
    outputs=$work/$name.out folder=$work/$name
    mkdir "$outputs" "$folder"
    ln -s "$root/examples" "$folder/examples"
    [ -z "${EXAMPLES:-}" ] || { mkdir "$folder/build" && ln -s "$(realpath "$EXAMPLES")" "$folder/build/examples"; }
    {
        echo 'set -eE; trap "echo line \$line >&2" ERR; trap "kill \$(jobs -p) 2>/dev/null || true" EXIT'
        declare -f wait_for
        awk -v outputs="$outputs" -v data="$data" "$split_page" "$page" | sed "s/\b8390\b/$port/g"
    } >"$outputs/script"
    if ! (cd "$folder" && outputs=$outputs PATH="$work/bin:$PATH" bash "$outputs/script" >"$outputs/said" 2>&1 </dev/null); then
        echo "not ok output of $page: a command that has to succeed failed, in the block at $(grep -oE '^line [0-9]+$' "$outputs/said" | tail -n 1)"
        grep -vE '^line [0-9]+$' "$outputs/said" | tail -n 5 | sed 's/^/# /'
        return
    fi
    for shown in $(ls -v "$outputs"/shown.* 2>/dev/null); do
        n=${shown##*.}
        [ "$port" = 8390 ] || sed -i "s/\b$port\b/8390/g" "$outputs/out.$n"
        if [ $write = yes ]; then
            [ -s "$shown" ] || { cp "$outputs/out.$n" "$outputs/new.$n"; continue; }
            awk -v write=1 "$compare" "$shown" "$outputs/out.$n" >"$outputs/new.$n" && continue
            cp "$shown" "$outputs/new.$n"
        fi
        problem=$(awk "$compare" "$shown" "$outputs/out.$n") && continue
        bad+=$'\n'"# command $n, $problem; it prints"$'\n'$(diff "$shown" "$outputs/out.$n" | head -n 12 | sed 's/^/# /')
    done
    if [ $write = yes ]; then awk -v outputs="$outputs" -v data="$data" "$replace" "$page" >"$outputs/page" && cp "$outputs/page" "$page"; fi
    if [ -z "$bad" ]; then echo "ok output of $page ($(ls "$outputs" | grep -c '^shown') compared)"; else echo "not ok output of $page$bad"; fi
}

for page; do run_page "$page"; done
