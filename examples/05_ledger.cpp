// A ledger holds the figures of every round. The certificate is recomputed from this file alone, without the
// losses, the learner or the data. A changed digit is found.
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <proxstream/proxstream.hpp>

namespace ps = proxstream;

namespace {

constexpr ps::Index kShares = 4;

/// Plays 300 rounds, each written to the ledger, and returns the certificate of the live run. Work is split
/// over four machines; the cost of machine i is its slowness times the square of its share.
ps::Certificate run_with_ledger(const std::string& path) {
    ps::OnlineLearner learner(
        {.dimension = kShares, .regulariser = ps::Simplex(), .window = 10, .ledger = path});
    for (ps::Round t = 1; t <= 300; ++t) {
        std::array<double, kShares> slowness{};
        for (ps::Index i = 0; i < kShares; ++i) {
            slowness[i] = std::exp(0.3 * normal(ps::Draw{.round = t, .sample = i}));
        }
        learner.observe(
            [slowness](ps::ConstView x, ps::View gradient) {  // throws IoError if the disk is full
                double total = 0;
                for (ps::Index i = 0; i < x.size(); ++i) {
                    total += slowness[i] * x[i] * x[i];
                    gradient[i] = 2 * slowness[i] * x[i];
                }
                return total;
            });
    }
    return learner.finish();  // the last line of the ledger
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
    const ps::Certificate live = run_with_ledger(path);
    const ps::Certificate again = ps::certify(path);
    std::printf("%s\n", conclusion(again).c_str());
    std::printf("the certificate from the file is %s\n",
                again == live ? "the same, bit for bit" : "DIFFERENT");

    tamper(path);
    bool found = false;
    try {
        ps::certify(path);
    } catch (const ps::DataError& error) {
        found = true;
        std::printf("after changing one digit: line %d does not verify\n",
                    static_cast<int>(error.where().line));
    }
    std::filesystem::remove(path);
    return live.sound() && again == live && found ? EXIT_SUCCESS : EXIT_FAILURE;
}
