# Reads rooms.txt, then sources; prints "FILE:LINE: what is wrong" for every include that breaks a rule.
FILENAME == table {
    if ($0 ~ /^#/ || NF == 0) next
    room = $1
    sub(/:$/, "", room)
    known[room] = 1
    allowed[room, room] = 1
    for (i = 2; i <= NF; ++i) allowed[room, $i] = 1
    next
}
FNR == 1 {
    public = FILENAME ~ /(^|\/)include\/proxstream\//
    here = FILENAME
    sub(/^(.*\/)?(include\/proxstream|src)\//, "", here)
    # Headers at the top of include/proxstream are the front door.
    if (public && here !~ /\//) here = "front"
    sub(/\/.*/, "", here)
    if (!(here in known)) print FILENAME ":1: '" here "' is not a room of the table"
}
/^[ \t]*#[ \t]*include[ \t]*"/ {
    target = $0
    sub(/^[^"]*"/, "", target)
    sub(/".*/, "", target)
    if (target ~ /\.\./) {
        print FILENAME ":" FNR ": '" target "' climbs out of its folder"
        next
    }
    named_public = target ~ /^proxstream\//
    if (public && !named_public) print FILENAME ":" FNR ": a public header includes '" target "', which is private"
    else if (named_public && getline first <("include/" target) < 0)
        print FILENAME ":" FNR ": there is no public header '" target "'"
    if (named_public) close("include/" target)
    if (sub(/^proxstream\//, "", target) && target !~ /\//) target = "front/" target
    if (target !~ /\//) next
    sub(/\/.*/, "", target)
    if (!(target in known)) print FILENAME ":" FNR ": '" target "' is not a room of the table"
    else if (!((here, target) in allowed)) print FILENAME ":" FNR ": " here " may not include " target
}
public && /^[ \t]*#[ \t]*include[ \t]*</ {
    target = $0
    sub(/^[^<]*</, "", target)
    sub(/>.*/, "", target)
    # Standard headers are single words; "x.h" and "folder/x" belong to other libraries.
    if (target !~ /^[a-z_0-9]+$/) print FILENAME ":" FNR ": a public header includes <" target ">"
}
