#!/usr/bin/env bash
# Checks the API reference: every public class, struct and concept of namespace proxstream needs a description
# of at least two sentences and an example. An example is a code block or a path under examples/. Types inside
# classes are exempt.
#   scripts/check_api_docs.sh build/docs/xml
set -euo pipefail
folder=${1:?usage: scripts/check_api_docs.sh FOLDER_OF_DOXYGEN_XML}
[ -f "$folder/index.xml" ] || { echo "not ok api docs: no index.xml in $folder; run doxygen docs/Doxyfile first"; exit 1; }
find "$folder" -name '*.xml' -print0 | LC_ALL=C sort -z | xargs -0 cat | awk '
    function text_of(line) {
        gsub(/<[^>]*>/, "", line)
        return line
    }
    # Ends of sentences: not the dots of file names, numbers and "..".
    function sentences(text) {
        gsub(/\.\.+/, "", text)
        gsub(/(e\.g|i\.e|etc)\./, "", text)
        return gsub(/[.!?][)"`]*([[:space:]]|$)/, "", text)
    }
    function attribute(line, name) {
        if (!match(line, name "=\"[^\"]*\"")) return ""
        return substr(line, RSTART + length(name) + 2, RLENGTH - length(name) - 3)
    }
    /<compounddef / {
        kind = attribute($0, "kind")
        wanted = kind == "class" || kind == "struct" || kind == "concept"
        if (attribute($0, "prot") ~ /private|protected/) wanted = 0
        name = text = place = ""
        example = member = own = listing = 0
    }
    /<compoundname>/ {
        name = text_of($0)
        gsub(/^[[:space:]]+|[[:space:]]+$/, "", name)
        if (kind == "namespace") namespaces[name] = 1
    }
    !wanted { next }
    /<memberdef / { member = 1 }
    /<\/memberdef>/ { member = 0 }
    member { next }
    /<(brief|detailed)description>/ { own = 1 }
    own {
        line = $0
        if (line ~ /<programlisting/) { listing = example = 1; sub(/<programlisting.*/, "", line) }
        else if (listing) line = ""
        text = text " " text_of(line)
        if (/<\/programlisting>/) {
            listing = 0
            sub(/.*<\/programlisting>/, "")
            text = text " " text_of($0)
        }
    }
    /<\/(brief|detailed)description>/ { own = 0 }
    /<location / { place = attribute($0, "file") ":" attribute($0, "line") }
    /<\/compounddef>/ {
        seen[++count] = name
        if (text ~ /examples\//) example = 1
        problem[count] = ""
        if (sentences(text) < 2) problem[count] = "its description has fewer than two sentences"
        if (!example) problem[count] = problem[count] (problem[count] ? ", and " : "") "it has no example"
        where[count] = place
        wanted = 0
    }
    END {
        for (i = 1; i <= count; ++i) {
            owner = rest = seen[i]
            sub(/<.*/, "", owner)  # of a specialisation
            sub(/::[^:]*$/, "", owner)
            if (rest !~ /^proxstream::/ || !(owner in namespaces)) continue
            ++types
            if (problem[i] == "") continue
            print "not ok api docs " where[i] ": " seen[i] ": " problem[i]
            failed = 1
        }
        if (types == 0) {
            print "not ok api docs: no type of namespace proxstream found"
            failed = 1
        }
        if (failed) exit 1
        print "ok api docs: " types " types"
    }'
