#!/usr/bin/env bash
# Prints the rows of the tutorial: daily demand that follows the temperature, until after 1000 days its sign turns;
# 3 % of the days have a gross error. The generator is written out, so that every awk prints the same bytes.
#   examples/make_demand_csv.sh >demand.csv
exec awk '
function uniform() { state = (state * 16807) % 2147483647; return state / 2147483647 }
function bell() { return uniform() + uniform() + uniform() + uniform() + uniform() + uniform() - 3 }
BEGIN {
    state = 1
    print "day,temperature,wind,holiday,noise,demand"
    for (t = 1; t <= 2000; ++t) {
        temperature = bell(); wind = bell(); holiday = uniform() < 0.1; noise = bell()
        demand = 5 + (t > 1000 ? -2 : 2) * temperature + 0.5 * wind + 0.2 * bell()
        if (uniform() < 0.03) demand += 40
        printf "day %d,%.4f,%.4f,%d,%.4f,%.4f\n", t, temperature, wind, holiday, noise, demand
    }
}'
