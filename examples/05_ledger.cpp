// Keeping the account of a run: a ledger is written as the rounds happen, and whoever holds the file can work
// out the certificate again, without the losses, the learner or the data. A changed digit is found.
#include "proxstream/core/draw.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/prox/simplex.hpp"
#include "proxstream/regret/certify.hpp"
#include "proxstream/window/record_ring.hpp"

#include "online/time_smoothed.hpp"
#include "regret/ledger_writer.hpp"
#include "regret/tally.hpp"
#include "run/header_of.hpp"
#include "solve/backtracking.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

using namespace proxstream;

namespace {

constexpr Index kShares = 4, kWindow = 10;

/// Work is split into shares x over four machines; machine i needs about 1 / speed_i a unit, and crowding
/// hurts.
FunctionFamily::Record cost_of_round(Round t) {
    std::vector<Real> slowness(kShares);
    for (Index i = 0; i < kShares; ++i) slowness[i] = std::exp(0.3 * normal({.round = t, .sample = i}));
    return [slowness = std::move(slowness)](ConstView x, View gradient) {
        Real total = 0;
        for (Index i = 0; i < x.size(); ++i) {
            total += slowness[i] * x[i] * x[i];
            if (!gradient.empty()) gradient[i] = 2 * slowness[i] * x[i];
        }
        return total;
    };
}

/// Plays 300 rounds, writes each into the ledger and returns the certificate of the live run.
Certificate run_with_ledger(const std::string& path) {
    TimeSmoothed learner(Simplex{}, make_batch(FunctionFamily(kShares), kWindow + 1),
                         std::vector<Real>{1, 0, 0, 0},
                         TimeSmoothedOptions{.window = kWindow,
                                             .step = 0.2,
                                             .tolerance = Tolerance::fixed(0.05),
                                             .budget = {.max_steps = 500}},
                         Backtracking{});
    const RunHeader header = header_of(learner.facts(), kShares);
    LedgerWriter ledger(path, header);
    Tally tally(header);
    for (Round t = 1; t <= 300; ++t) {
        const RoundReport report = learner.observe(cost_of_round(t));
        ledger.write(report);  // throws IoError at once when the disk is full
        tally.add(report);
    }
    const RunFooter footer = tally.footer(learner.close(), RunEnding::finished, learner.seconds());
    ledger.finish(footer);
    return tally.certificate(footer);
}

/// Changes one digit in the middle of the file.
void tamper(const std::string& path) {
    std::ifstream in(path);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    char& digit = text[text.find_first_of("123456789", text.size() / 2)];
    digit = digit == '9' ? '8' : '9';
    std::ofstream(path) << text;
}

}  // namespace

int main() {
    const auto folder = std::filesystem::temp_directory_path();
    const std::string path = (folder / "proxstream-example-ledger.jsonl").string();
    const Certificate live = run_with_ledger(path);
    const Certificate again = certify(path);
    std::printf("%s\n", conclusion(again).c_str());
    std::printf("the certificate from the file is %s\n",
                again == live ? "the same, bit for bit" : "ANOTHER ONE");

    tamper(path);
    bool found = false;
    try {
        certify(path);
    } catch (const DataError& error) {
        found = true;
        std::printf("after changing one digit: line %d does not verify\n",
                    static_cast<int>(error.where().line));
    }
    std::filesystem::remove(path);
    return live.sound() && again == live && found ? EXIT_SUCCESS : EXIT_FAILURE;
}
