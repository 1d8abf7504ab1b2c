#include "front/epoch_account.hpp"

#include "regret/ledger_format.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// From best to worst: the verdict over all epochs is the worst one.
constexpr std::array kVerdicts{Verdict::not_applicable, Verdict::holds,        Verdict::holds_to_rounding,
                               Verdict::stated,         Verdict::not_promised, Verdict::undecided,
                               Verdict::missed,         Verdict::violated};

bool worse(Verdict a, Verdict b) {
    return std::ranges::find(kVerdicts, a) > std::ranges::find(kVerdicts, b);
}

/// The state that a certificate is computed from.
std::string saved(const RunHeader& header, const Tally& tally, const RunFooter& footer) {
    StateArchive state;
    RunHeader here = header;
    Tally sums = tally;
    RunFooter last = footer;
    serialise(state, "header", here);
    state.section("tally", sums);
    serialise(state, "footer", last);
    return state.seal();
}

Round rounds(const std::vector<Certificate>& epochs) {
    Round total = 0;
    for (const Certificate& each : epochs) total += each.summary.totals.rounds;
    return total;
}

}  // namespace

void EpochAccount::begin(const RunHeader& facts, double seconds) {
    header_ = facts;
    header_.settings = options_.settings;
    header_.settings.emplace_back("epoch", std::to_string(certificates_.size() + 1));
    if (header_.members.empty()) header_.max_steps = options_.max_steps;
    header_.max_seconds = options_.max_seconds;
    begun_ = seconds;
}

bool EpochAccount::open() {
    if (tally_) return false;
    tally_.emplace(header_);
    return true;
}

void EpochAccount::add(const RoundReport& report, const RowExtras& extras) {
    tally_->add(report, extras);
    if (report.status == RoundStatus::refused) return;
    regret_ += report.entry_gap * report.entry_gap;
    const Real bound = report.firm_bound + report.gap_rounding;
    regret_bound_ += bound * bound;
}

void EpochAccount::end(const RunFooter& footer) {
    past_.push_back(saved(header_, *tally_, footer));
    certificates_.push_back(tally_->certificate(footer));
    tally_.reset();
}

std::vector<Certificate> EpochAccount::certificates_here(const Closing& closing, RunEnding ending,
                                                         double seconds) const {
    std::vector<Certificate> all = certificates_;
    if (tally_) all.push_back(tally_->certificate(footer(closing, ending, seconds)));
    return all;
}

void EpochAccount::serialise(StateArchive& archive) {
    serialise_past(archive);
    proxstream::serialise(archive, "header", header_);
    archive.fields(Field{"begun", begun_}, Field{"regret", regret_}, Field{"regret bound", regret_bound_});
    bool open = tally_.has_value();
    archive.field("open", open);
    if (!open) return;
    if (archive.reading()) tally_.emplace(header_);
    archive.section("tally", *tally_);
}

/// A past epoch is stored as the state that its certificate is computed from.
void EpochAccount::serialise_past(StateArchive& archive) {
    Index count = past_.size();
    archive.field("past epochs", count, std::uint64_t{1} << 32U);
    if (archive.reading()) past_.assign(count, {});
    for (std::string& each : past_) archive.field("epoch", each);
    if (!archive.reading()) return;
    certificates_.clear();
    for (const std::string& each : past_) {
        StateArchive state(each, "an epoch of the saved state");
        RunHeader header;
        proxstream::serialise(state, "header", header);
        Tally tally(header);
        state.section("tally", tally);
        RunFooter last;
        proxstream::serialise(state, "footer", last);
        state.finish();
        certificates_.push_back(tally.certificate(last));
    }
}

std::vector<Inequality> combine(const std::vector<Certificate>& epochs) {
    std::vector<Inequality> all;
    std::vector<std::map<Verdict, Index>> verdicts;
    for (const Certificate& epoch : epochs) {
        for (const Inequality& each : epoch.inequalities) {
            const auto found = std::find_if(all.begin(), all.end(),
                                            [&](const Inequality& other) { return other.id == each.id; });
            if (found == all.end()) {
                all.push_back(each);
                verdicts.push_back({{each.verdict, 1}});
                continue;
            }
            ++verdicts[static_cast<Index>(found - all.begin())][each.verdict];
            const bool closer = each.verdict == found->verdict && each.ratio() > found->ratio();
            if (worse(each.verdict, found->verdict) || closer) *found = each;
        }
    }
    if (epochs.size() < 2) return all;
    for (Index i = 0; i < all.size(); ++i) {
        std::string counts;
        for (const auto& [verdict, count] : verdicts[i]) {
            counts += fmt::format("{}{} in {}", counts.empty() ? "" : ", ", name(verdict), count);
        }
        all[i].explanation = fmt::format("of {} epochs: {}", epochs.size(), counts) +
                             (all[i].explanation.empty() ? "" : "; " + all[i].explanation);
    }
    return all;
}

bool sound(const std::vector<Certificate>& epochs) {
    return std::all_of(epochs.begin(), epochs.end(), [](const Certificate& each) { return each.sound(); });
}

std::string epochs_conclusion(const std::vector<Certificate>& epochs) {
    if (epochs.empty()) return "No period was played: there is nothing to certify.";
    if (epochs.size() == 1) return conclusion(epochs.front());
    const auto longest = std::max_element(epochs.begin(), epochs.end(), [](const auto& a, const auto& b) {
        return a.summary.totals.rounds < b.summary.totals.rounds;
    });
    const auto broken =
        std::count_if(epochs.begin(), epochs.end(), [](const auto& each) { return !each.sound(); });
    Real regret = 0;
    for (const Certificate& each : epochs) regret += each.summary.regret;
    return fmt::format(
        "The network changed {} times; each of the {} epochs, {} rounds together, has a certificate of its "
        "own: {}. "
        "Local regret over all of them {:.6g}. The longest, {} rounds: {}",
        epochs.size() - 1, epochs.size(), rounds(epochs),
        broken == 0 ? std::string("all are sound") : fmt::format("{} of them are broken", broken), regret,
        longest->summary.totals.rounds, conclusion(*longest));
}

std::string epochs_text(const std::vector<Certificate>& epochs) {
    if (epochs.size() == 1) return to_text(epochs.front());
    std::string text = fmt::format("certificate of {} epochs, {} rounds\n", epochs.size(), rounds(epochs));
    for (const Inequality& each : combine(epochs)) {
        text += fmt::format("  {:<4} {:<48} {:<15} {:>11.4g} <= {:<11.4g}\n", each.id,
                            each.statement.substr(0, 48), name(each.verdict), each.left, each.right);
        if (!each.explanation.empty()) text += fmt::format("       {}\n", each.explanation);
    }
    return text + "  " + epochs_conclusion(epochs) + "\n";
}

std::string epochs_json(const std::vector<Certificate>& epochs) {
    std::string text = "[";
    for (const Certificate& each : epochs) text += (text.size() > 1 ? ",\n" : "\n") + to_json(each);
    return text + "\n]";
}

}  // namespace proxstream
