#!/usr/bin/env bash
# assign: one matrix to a system optimum or a user equilibrium, compared with known results.
. "$(dirname "$0")/common.bash"

# Braess: 6 from 1 to 2; t = 10 y on 1-3 and 4-2, 50 + y on 1-4 and 3-2, 10 + y between. The optimum leaves the middle empty
# (6 * 83 = 498), the equilibrium sends 2 through it (6 * 92 = 552).
cat >"$work/net.tntp" <<'T'
<NUMBER OF ZONES> 2
<NUMBER OF NODES> 4
<FIRST THRU NODE> 1
<NUMBER OF LINKS> 5
<END OF METADATA>

~	init_node	term_node	capacity	length	free_flow_time	b	power	speed	toll	link_type	;
	1	3	1	100	0.00000001	1000000000	1	0	0	1	;
	1	4	1	100	50	0.02	1	0	0	1	;
	3	2	1	100	50	0.02	1	0	0	1	;
	3	4	1	100	10	0.1	1	0	0	1	;
	4	2	1	100	0.00000001	1000000000	1	0	0	1	;
T
cat >"$work/trips.tntp" <<'T'
<NUMBER OF ZONES> 2
<TOTAL OD FLOW> 6.0
<END OF METADATA>

Origin 1
    1 :    0.0;     2 :    6.0;
Origin 2
    1 :    0.0;     2 :    0.0;
T
net=$work/net.tntp trips=$work/trips.tntp

# figure NAME: what the last run printed for it. near A B TOLERANCE: relative.
figure() { awk -v name="$1" 'index($0, name) == 1 { print $NF }' "$work/out"; }
near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { d = a / b - 1; exit !(d <= most && d >= -most) }'; }

run assign "$net" "$trips" --gap 1e-8 --flows "$work/system.csv"
expect "the system optimum of Braess" 0 '4 nodes, 5 links, 1 pairs, demand 6' 'the gap is reached' 'round +gap +objective'
check "the optimum of Braess takes 498 in total" near "$(figure 'total time')" 498 1e-6
check "the minimised objective is shown" near "$(figure objective)" 498 1e-6
run assign "$net" "$trips" --gap 1e-8 --objective user --flows "$work/user.csv"
expect "the user equilibrium of Braess" 0 'the gap is reached'
check "the equilibrium of Braess takes 552 in total" near "$(figure 'total time')" 552 1e-6
check "the equilibrium of Braess has Beckmann's value 386" near "$(figure objective)" 386 1e-6

# link,from,to,flow,time,utilisation: 6 leave 1, 6 reach 2, no flow ends elsewhere, and the total is that of the table.
adds_up() {
    awk -F, -v total="$2" 'NR > 1 { net[$2] -= $4; net[$3] += $4; sum += $4 * $5; ++rows }
        function off(a, b) { return a - b > 1e-6 || b - a > 1e-6 }
        END { exit rows != 5 || off(net[1], -6) || off(net[2], 6) || off(net[3], 0) || off(net[4], 0) || off(sum / total, 1) }' "$1"
}
check "flows of the optimum add up" adds_up "$work/system.csv" 498
check "flows of the equilibrium add up" adds_up "$work/user.csv" 552

printf 'init_node,term_node,flow\n1,3,4\n1,4,2\n3,2,2\n3,4,2\n4,2,4\n' >"$work/known.csv"
run assign "$net" "$trips" -q --gap 1e-8 --objective user --against "$work/known.csv"
expect "flows are compared with those of a file" 0 'against .*known.csv: total time 552.0000001, ours is [+-][0-9.e-]+ relative to it; largest difference of a flow'
check "the equilibrium equals the known flows" awk '/^against/ { sub(/.*difference of a flow /, ""); exit !($1 + 0 < 1e-4) }' "$work/out"
run assign "$net" "$trips" -q --gap 1e-8 --against "$work/known.csv"
check "the optimum differs from the known flows" awk '/^against/ { sub(/.*difference of a flow /, ""); exit !($1 + 0 > 1) }' "$work/out"
head -3 "$work/known.csv" >"$work/few.csv"
run assign "$net" "$trips" -q --against "$work/few.csv"
expect "flows of another network are refused" 3 'few.csv'

run assign "$net" "$trips" --max-rounds 1 --gap 1e-8
expect "a gap that is not reached ends with status 1" 1 'the rounds ran out before the gap was reached' 'after 1 rounds'
run assign "$net" "$trips" --gpa 1e-3
expect "an unknown option has the nearest name" 2 "did you mean '--gap'"
run assign "$net" "$trips" --gap 2 --max-rounds many --max-seconds 0 --objective unweighted --scale 0
expect "violations come all at once" 2 'gap = 2: must be a number in' 'max-rounds = many' 'max-seconds = 0' 'unweighted is not convex' 'scale = 0'

run assign "$trips" "$net"
expect "network and trips in the wrong order are refused" 3 'trips.tntp:5: this is a trip table .*swapped'
run assign "$net" "$net"
expect "a network in place of trips is refused" 3 'net.tntp:4: this is a network .*swapped'
head -10 "$net" >"$work/cut.tntp"
run assign "$work/cut.tntp" "$trips"
expect "a network cut between rows is refused" 3 'cut.tntp:4 \(NUMBER OF LINKS\): the metadata say 5 links, the file has 3'
head -c 290 "$net" >"$work/cut.tntp"
run assign "$work/cut.tntp" "$trips"
expect "a network cut within a row is refused" 3 'cut.tntp:[0-9]+'
sed 's/^\t3\t4\t1/\t3\t4\t-1/' "$net" >"$work/negative.tntp"
run assign "$work/negative.tntp" "$trips"
expect "a negative capacity is refused" 3 'negative.tntp:11.*capacity.*-1'
sed 's/6.0;/-6.0;/' "$trips" >"$work/negative_trips.tntp"
run assign "$net" "$work/negative_trips.tntp"
expect "negative demand is refused" 3 'negative_trips.tntp:6.*-6'
sed 's/1 :    0.0;     2 :    0.0;/1 :    1.0;     2 :    0.0;/' "$trips" >"$work/back.tntp"
run assign "$net" "$work/back.tntp"
expect "demand without a path is refused" 3 'back.tntp.*no path leads from 2 to 1'
echo '<html><body>404</body></html>' >"$work/page.tntp"
run assign "$work/page.tntp" "$trips"
expect "a web page in place of a network is refused" 3 'page.tntp'
run assign "$net" "$work/absent.tntp"
expect "missing trips are refused" 5 'absent.tntp.*No such file'
run assign "$net" "$trips" --flows "$work/no/such/folder/flows.csv"
expect "flows into a missing folder are refused" 5 'no/such/folder/flows.csv'

falls=$data/tntp/SiouxFalls
totals=$data/tntp/reference/ue_so_totals.csv
if [ -r "$falls/SiouxFalls_net.tntp" ] && [ -r "$totals" ]; then
    for objective in system user; do
        known=$(awk -F, -v column="$([ $objective = user ] && echo 2 || echo 5)" '$1 == "SiouxFalls" { print $column }' "$totals")
        run assign "$falls/SiouxFalls_net.tntp" "$falls/SiouxFalls_trips.tntp" -q --objective $objective --gap 1e-9
        expect "SiouxFalls, $objective" 0 '24 nodes, 76 links, 528 pairs, demand 360600' 'the gap is reached'
        check "SiouxFalls, $objective: total time within 1e-6 of the reference" near "$(figure 'total time')" "$known" 1e-6
    done
else
    echo "skip SiouxFalls: $falls is not there (set PROXSTREAM_DATA)"
fi
