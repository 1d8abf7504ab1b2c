#include "faults/scenario.hpp"

#include "io/output_file.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream::faults {
namespace {

constexpr int kRows = 30;
constexpr int kPeriods = 12;

/// Between -1 and 1, different for each pair of arguments.
double wave(int row, int column) {
    return std::sin(1.0 + 7.3 * row + 2.9 * column * (row + 1));
}

std::string rows() {
    std::string text = "a,b,c,y\n";
    for (int row = 0; row < kRows; ++row) {
        const double a = wave(row, 1), b = wave(row, 2), c = wave(row, 3);
        text +=
            fmt::format("{:.6f},{:.6f},{:.6f},{:.6f}\n", a, b, c, 2 * a - b + row / 50.0 + wave(row, 4) / 5);
    }
    return text;
}

/// A link is closed for some periods, so there are several epochs and ledgers.
std::string demand() {
    std::string text;
    for (int period = 1; period <= kPeriods; ++period) {
        const char* events = period == 5   ? R"(,"events":[{"link":"A-C","close":true}])"
                             : period == 8 ? R"(,"events":[{"link":"A-C","open":true}])"
                                           : "";
        text += fmt::format(R"({{"period":"t{}","demand":{{"A->D":{:.4f},"B->D":{:.4f}}}{}}})", period,
                            8 + 2 * wave(period, 1), 2 + wave(period, 2), events) +
                "\n";
    }
    return text;
}

constexpr const char* kLinks = R"(from,to,capacity,free_time,b,power
A,B,10,1,0.15,4
B,D,9,1,0.15,4
A,C,8,1.2,0.15,4
C,D,7,1.2,0.15,4
B,C,5,0.5,0.15,4
D,A,9,1,0.15,4
)";

Command joined(Command first, const Command& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

const Command kCommon = {"--store", "a.run", "--quiet", "--threads", "1"};

Command learn() {
    return joined({"learn", "rows.csv", "--label", "y", "--loss", "cauchy", "--reg", "l1:0.001"}, kCommon);
}

Command learn_with_files() {
    return joined(learn(), {"-w", "6", "--durable", "5", "--predictions", "p.csv", "--metrics", "m.csv",
                            "--metrics-every", "4", "--save", "model.json", "--certificate",
                            "certificate.json", "--report", "report.html"});
}

Command route() {
    return joined({"route",
                   "links.csv",
                   "demand.jsonl",
                   "--window",
                   "4",
                   "--rivals",
                   "re-solve-last",
                   "--durable",
                   "3",
                   "--keep",
                   "all",
                   "--out",
                   "out",
                   "--detail",
                   "all",
                   "--decisions",
                   "decisions.jsonl",
                   "--ledger",
                   "ledger.jsonl",
                   "--report",
                   "report.html"},
                  kCommon);
}

Command play() {
    return joined(
        {"play", "quadratic:n=4", "--rounds", "20", "--window", "5", "--durable", "5", "--out", "out"},
        kCommon);
}

Command fit() {
    return joined({"fit",       "rows.csv",   "--label",       "y",     "--loss",        "cauchy",
                   "--method",  "prox-svrg",  "--passes",      "40",    "--epsilon",     "0",
                   "--measure", "1",          "--durable",     "4",     "--trace",       "trace.csv",
                   "--save",    "model.json", "--predictions", "p.csv", "--certificate", "certificate.json"},
                  kCommon);
}

Scenario resumed(const std::string& verb, Command before) {
    return {.name = "resume of " + verb,
            .store = "a.run",
            .command = {"resume", "a.run", "--quiet", "--threads", "1"},
            .start = Start::killed,
            .before = std::move(before)};
}

Scenario forked(const std::string& what, const Command& options) {
    return {.name = "fork " + what,
            .store = "b.run",
            .command = joined({"fork", "a.run", "b.run"}, options),
            .start = Start::ended,
            .before = joined(learn_with_files(), {"--rounds", "17"}),
            .options = {"--rounds", "25"},
            .completed = false};
}

}  // namespace

void write_inputs(const std::string& folder) {
    write_whole_file(folder + "rows.csv", rows());
    write_whole_file(folder + "links.csv", kLinks);
    write_whole_file(folder + "demand.jsonl", demand());
}

std::vector<Scenario> scenarios() {
    const Command ensemble =
        joined(learn(), {"--window", "auto:longest=8", "--durable", "round", "--predictions", "p.csv"});
    return {
        {.name = "learn", .store = "a.run", .command = learn_with_files()},
        {.name = "learn, an ensemble", .store = "a.run", .command = ensemble},
        {.name = "route", .store = "a.run", .command = route()},
        {.name = "play", .store = "a.run", .command = play()},
        {.name = "fit", .store = "a.run", .command = fit()},
        resumed("learn", learn_with_files()),
        resumed("route", route()),
        resumed("play", play()),
        resumed("fit", fit()),
        {.name = "resume to a later round",
         .store = "a.run",
         .command = {"resume", "a.run", "--rounds", "25", "--quiet", "--threads", "1"},
         .start = Start::ended,
         .before = joined(learn_with_files(), {"--rounds", "17"}),
         .options = {"--rounds", "25"}},
        forked("as a copy", {}),
        forked("with another tolerance", {"--tolerance", "0.05"}),
    };
}

}  // namespace proxstream::faults
