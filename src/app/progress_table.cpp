#include "app/progress_table.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/text_lines.hpp"
#include "io/standard_error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

std::size_t nonzeros(ConstView x) {
    return static_cast<std::size_t>(std::count_if(x.begin(), x.end(), [](Real value) { return value != 0; }));
}

}  // namespace

ProgressTable::ProgressTable(Index every, bool classes, std::vector<std::string> members, bool measured,
                             bool verbose)
    : classes_(classes),
      measured_(measured),
      verbose_(verbose),
      members_(std::move(members)),
      weights_(members_.size()),
      schedule_(every) {
    eprint("{:>10} {:>10} {:>10}{}", "rounds", "avg loss", "since last", classes_ ? " error %" : "");
    if (verbose_) {
        eprint(" {:>10} {:>9} {:>9} {:>7}\n", "Reg_w", measured_ ? "entry gap" : "first seen",
               measured_ ? "exit gap" : "last seen", "steps");
    } else {
        eprint(" {:>8} {:>8}{}\n", "steps", "non-zero", members_.empty() ? "" : "  most weight");
    }
}

/// The member with the most weight since the last line, and its share.
std::string ProgressTable::heaviest() const {
    if (members_.empty()) return "";
    const auto most = std::max_element(weights_.begin(), weights_.end());
    Real all = 0;
    for (const Real weight : weights_) all += weight;
    if (all == 0) return "";
    constexpr std::size_t kRoom = 14;
    const std::string& name = members_[static_cast<std::size_t>(most - weights_.begin())];
    return fmt::format("  {} ({:.0f} %)", shortened(name, kRoom), 100 * *most / all);
}

void ProgressTable::on_round(const LearnProgress& progress) {
    if (progress.ensemble != nullptr) axpy(1, progress.ensemble->weights, weights_);
    if (schedule_.due(progress.rounds)) {
        print_line(progress);
        return;
    }
    status_.draw([&] {
        const auto rounds = static_cast<Real>(std::max<Round>(progress.rounds, 1));
        return tinted(Tint::dim, fmt::format("{:>10} {:>10.5g}  {:.0f} rows/s", progress.rounds,
                                             progress.loss_sum / rounds,
                                             static_cast<double>(progress.rows) / status_.seconds()));
    });
}

void ProgressTable::finish(const LearnProgress& progress) {
    if (progress.rounds != printed_) print_line(progress);
    status_.clear();
}

void ProgressTable::print_line(const LearnProgress& progress) {
    status_.clear();
    const auto rounds = static_cast<Real>(std::max<Round>(progress.rounds, 1));
    const auto since = static_cast<Real>(std::max<Round>(progress.rounds - printed_, 1));
    eprint("{:>10} {:>10.5g} {:>10.5g}", progress.rounds, progress.loss_sum / rounds,
           (progress.loss_sum - loss_at_last_line_) / since);
    if (classes_) {
        eprint(" {:>7.2f}", 100 * static_cast<Real>(progress.errors) /
                                static_cast<Real>(std::max<std::uint64_t>(progress.rows, 1)));
    }
    const std::uint64_t steps = progress.steps - steps_at_last_line_;
    if (verbose_) {
        const RoundReport last = progress.last != nullptr ? *progress.last : RoundReport{};
        eprint(" {:>10} {:>9.3g} {:>9.3g} {:>7}\n", measured_ ? fmt::format("{:.5g}", progress.regret) : "-",
               measured_ ? last.entry_gap : last.first_gap, measured_ ? last.exit_gap : last.tested_gap,
               steps);
    } else {
        eprint(" {:>8} {:>8}{}\n", steps, nonzeros(progress.point), heaviest());
    }
    fill(weights_, 0);
    printed_ = progress.rounds;
    loss_at_last_line_ = progress.loss_sum;
    steps_at_last_line_ = progress.steps;
}

}  // namespace proxstream::app
