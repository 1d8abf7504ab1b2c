#include "regret/game_tally.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "regret/residual_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Real kNaN = std::numeric_limits<Real>::quiet_NaN();

bool measured(const RunHeader& header) {
    return !header.noise || header.noise->refereed;
}

Inequality nothing(std::string id, std::string statement, Verdict verdict, std::string why) {
    return {.id = std::move(id),
            .statement = std::move(statement),
            .verdict = verdict,
            .explanation = std::move(why)};
}

void judge(Inequality& inequality) {
    inequality.verdict = inequality.margin() >= 0 ? Verdict::holds : Verdict::violated;
}

}  // namespace

GameTally::GameTally(GameRules rules, const std::vector<RunHeader>& headers) : rules_(std::move(rules)) {
    for (const RunHeader& header : headers) {
        seats_.push_back({.header = header,
                          .tally = Tally(header),
                          .left = {},
                          .variation = {},
                          .promises = {},
                          .changes = {}});
        longest_ = std::max(longest_, header.window);
    }
    rules_.variations.resize(seats_.size());
}

void GameTally::add(std::span<const RoundReport> reports, std::span<const RowExtras> extras) {
    const auto is_refused = [](const RoundReport& report) { return report.status == RoundStatus::refused; };
    const auto refused = static_cast<Index>(std::count_if(reports.begin(), reports.end(), is_refused));
    if (reports.size() != seats_.size() || (refused != 0 && refused != reports.size())) {
        throw DataError({},
                        fmt::format("round {} of a game is refused for all players or for none",
                                    reports.empty() ? 0 : reports.front().round),
                        "");
    }
    for (Index i = 0; i < seats_.size(); ++i)
        seats_[i].tally.add(reports[i], extras.empty() ? RowExtras{} : extras[i]);
    if (refused > 0) {
        ++refused_;
        return;
    }
    ++rounds_;
    Real gap = 0;
    Real squares = 0;
    bool promised = true;
    for (Index i = 0; i < seats_.size(); ++i) {
        promised = add_player(seats_[i], reports[i]) && promised;
        gap = std::max(gap, reports[i].entry_residual);
        squares += reports[i].entry_residual * reports[i].entry_residual;
    }
    if (!promised) unpromised_.note(rounds_);
    last_gap_ = gap;
    if (rounds_ >= 2 && gap > largest_gap_) {
        largest_gap_ = gap;
        largest_gap_round_ = rounds_;
    }
    if (rounds_ > longest_) {
        ++full_rounds_;
        if (squares < smallest_sum_) {
            smallest_sum_ = squares;
            smallest_round_ = rounds_;
        }
    }
}

bool GameTally::add_player(Seat& seat, const RoundReport& report) {
    bool promised = true;
    const Real change = report.variation / seat.header.effective_length;
    const Real off = 3 * report.residual_rounding + 2 * seat.left.rounding;
    seat.bound = kNaN;
    seat.last_residual = report.entry_residual;
    if (!measured(seat.header)) {
        unmeasured_.note(rounds_);
    } else if (rounds_ >= 2) {
        seat.largest_residual = std::max(seat.largest_residual, report.entry_residual);
        if (seat.promised) {
            seat.bound = seat.left.promised + change;
            const WorstRound before = every_round_;
            every_round_.observe(rounds_, report.entry_residual, seat.bound, off);
            if (every_round_.round != before.round || every_round_.left != before.left ||
                every_round_.right != before.right)
                worst_player_ = static_cast<Index>(&seat - seats_.data());
            seat.largest_promise = std::max(seat.largest_promise, seat.left.promised);
        } else {
            promised = false;
        }
    }
    if (measured(seat.header)) {
        seat.largest_variation = std::max(seat.largest_variation, report.variation);
        const auto& bound = rules_.variations[static_cast<Index>(&seat - seats_.data())];
        constexpr Real kRelative = 1e-9;  // constants of games are worked out in floating point too
        if (bound) {
            seat.variation.observe(rounds_, report.variation, bound->variation,
                                   kRelative * bound->variation + seat.header.effective_length * off);
        }
    }
    if (rounds_ > longest_) {
        seat.promises.add(seat.left.promised * seat.left.promised);
        seat.changes.add((change + off) * (change + off));
    }
    seat.left = departure_of(seat.header, report);
    // A bank's next play may be another member's, of which this round promised nothing.
    seat.promised = seat.header.exit_test && seat.header.members.empty() && seat.left.sure &&
                    (report.status == RoundStatus::quiet || report.status == RoundStatus::solved);
    return promised;
}

Inequality GameTally::every_round() const {
    Inequality result{.id = "G1", .statement = "every player, t >= 2: R_t <= (delta+sigma+d_t)/w"};
    if (unmeasured_)
        return nothing(result.id, result.statement, Verdict::not_applicable,
                       "gradients of some player are sampled, and its exact residuals are not known");
    if (every_round_.checked == 0)
        return nothing(
            result.id, result.statement, unpromised_ ? Verdict::not_promised : Verdict::not_applicable,
            unpromised_ ? "nobody has to pass an exit test that is sure" : "there was no second round");
    result.left = every_round_.left;
    result.right = every_round_.right;
    result.slack = every_round_.slack;
    result.round = every_round_.round;
    judge(result);
    if (every_round_.violations > 0) {
        result.explanation = fmt::format("violated {} times, first in round {}", every_round_.violations,
                                         every_round_.first_violation);
    } else if (unpromised_) {
        result.explanation = fmt::format(
            "tightest for player {}; not promised to some player in {} rounds, first in round {} "
            "(no exit test, budget, or noise without a sure bound)",
            worst_player_ + 1, unpromised_.count, unpromised_.first);
    } else {
        result.explanation =
            fmt::format("checked {} times, tightest for player {}", every_round_.checked, worst_player_ + 1);
    }
    return result;
}

Inequality GameTally::bounded_variation() const {
    Inequality result{.id = "G2", .statement = "every player and round: d_t <= D"};
    const Seat* worst = nullptr;
    Index who = 0;
    Index known = 0;
    // How much of D is used up; a guess that was missed by far does not hide a proved bound that is broken.
    const auto severity = [&](Index i) {
        const WorstRound& each = seats_[i].variation;
        const Real bound = each.right + each.slack;
        const Real used = bound > 0 ? each.left / bound : (each.left > 0 ? kInfinity : 0);
        return std::pair(each.violations > 0 && rules_.variations[i]->proved, used);
    };
    for (Index i = 0; i < seats_.size(); ++i) {
        const WorstRound& each = seats_[i].variation;
        if (each.checked == 0) continue;
        ++known;
        if (worst == nullptr || severity(i) > severity(who)) {
            worst = &seats_[i];
            who = i;
        }
    }
    if (worst == nullptr)
        return nothing(result.id, result.statement, Verdict::not_promised,
                       "nobody bounds what rivals can change");
    result.left = worst->variation.left;
    result.right = worst->variation.right;
    result.slack = worst->variation.slack;
    result.round = worst->variation.round;
    judge(result);
    // Only a bound that somebody has proved can be violated.
    if (result.verdict == Verdict::violated && !rules_.variations[who]->proved)
        result.verdict = Verdict::missed;
    result.explanation = fmt::format("D of {} of {} players; tightest for player {} ({})", known,
                                     seats_.size(), who + 1, rules_.variations[who]->origin);
    return result;
}

Real GameTally::derived_epsilon() const {
    Real root = 0;
    for (Index i = 0; i < seats_.size(); ++i) {
        if (!rules_.variations[i]) return kNaN;
        root = std::max(root, seats_[i].largest_promise +
                                  rules_.variations[i]->variation / seats_[i].header.effective_length);
    }
    return root * root;
}

Inequality GameTally::wanted() const {
    Inequality result{.id = "G3", .statement = "every player, t >= 2: R_t^2 <= epsilon"};
    const Real derived = derived_epsilon();
    if (std::isnan(derived))
        return nothing(result.id, result.statement, Verdict::not_promised,
                       "it follows from G1 where every player's d_t has a bound D");
    if (unmeasured_ || every_round_.checked == 0)
        return nothing(result.id, result.statement, Verdict::not_applicable, "see G1");
    result.left = largest_gap_ * largest_gap_;
    result.right = rules_.epsilon.value_or(derived);
    result.slack = 1e-9 * result.right;
    result.round = largest_gap_round_;
    const auto exceeded = [](const Seat& seat) { return seat.variation.violations > 0; };
    if (unpromised_ || std::any_of(seats_.begin(), seats_.end(), exceeded)) {
        result.verdict = Verdict::not_promised;
        result.explanation = unpromised_ ? "a round was not promised, see G1" : "D was exceeded, see G2";
        return result;
    }
    if (derived > result.right * (1 + 1e-9)) {
        result.verdict = Verdict::not_promised;
        result.explanation =
            fmt::format("these windows, tolerances and D guarantee {:.4g}; see 'advise'", derived);
        return result;
    }
    judge(result);
    result.explanation = rules_.epsilon ? fmt::format("as wanted; ((delta+sigma+D)/w)^2 is {:.4g}", derived)
                                        : "((delta+sigma+D)/w)^2, the largest over the players";
    return result;
}

Inequality GameTally::some_round() const {
    Inequality result{.id = "G4", .statement = "some t > w: sum R^2 <= sum ((delta+sqrt c)/w)^2"};
    if (unmeasured_) return nothing(result.id, result.statement, Verdict::not_applicable, "see G1");
    if (full_rounds_ == 0)
        return nothing(result.id, result.statement, Verdict::not_applicable, "no round had full windows");
    if (unpromised_) return nothing(result.id, result.statement, Verdict::not_promised, "see G1");
    // Minkowski: the root mean square of R is at most that of what was promised plus that of d/w.
    const Real rounds = static_cast<Real>(full_rounds_);
    for (const Seat& seat : seats_) {
        const Real root =
            std::sqrt(seat.promises.value() / rounds) + std::sqrt(seat.changes.value() / rounds);
        result.right += root * root;
    }
    result.left = smallest_sum_;
    result.slack = 1e-9 * result.right;
    result.round = smallest_round_;
    judge(result);
    result.explanation = "delta and c are the root mean squares over these rounds";
    return result;
}

PaperClaim GameTally::paper() const {
    PaperClaim claim{.id = "games",
                     .statement = "some t >= w: sum_i R^2 <= (2m(delta^2+c)/w)^2, in w^2 rounds"};
    claim.reason = "no proof unless w(w-1) >= 2m(delta^2+c)/eps";
    if (unmeasured_ || unpromised_ || full_rounds_ == 0) return claim;
    Real spread = 0;
    for (const Seat& seat : seats_) {
        const Real length = seat.header.effective_length;
        const Real each = (seat.promises.value() + seat.changes.value()) / static_cast<Real>(full_rounds_);
        spread = std::max(spread, length * length * each);
    }
    const Real root = 2 * static_cast<Real>(seats_.size()) * spread / static_cast<Real>(longest_);
    claim.applicable = true;
    claim.left = smallest_sum_;
    claim.right = root * root;
    claim.satisfied = claim.left <= claim.right;
    return claim;
}

void GameTally::Seat::exchange(Checkpoint& checkpoint) {
    checkpoint.part("tally", tally);
    checkpoint.part("left", left);
    checkpoint.exchange("promised", promised);
    checkpoint.exchange("bound", bound);
    checkpoint.exchange("last residual", last_residual);
    checkpoint.part("variation", variation);
    checkpoint.exchange("largest residual", largest_residual);
    checkpoint.exchange("largest variation", largest_variation);
    checkpoint.exchange("largest promise", largest_promise);
    checkpoint.part("promises", promises);
    checkpoint.part("changes", changes);
}

void GameTally::exchange(Checkpoint& checkpoint) {
    checkpoint.agree("players", seats_.size());
    for (Seat& seat : seats_) checkpoint.part("player", seat);
    checkpoint.exchange("rounds", rounds_);
    checkpoint.exchange("refused", refused_);
    checkpoint.part("every round", every_round_);
    checkpoint.exchange("worst player", worst_player_);
    checkpoint.require(worst_player_ < seats_.size(), "a player of this game");
    checkpoint.part("unpromised", unpromised_);
    checkpoint.part("unmeasured", unmeasured_);
    checkpoint.exchange("largest gap", largest_gap_);
    checkpoint.exchange("last gap", last_gap_);
    checkpoint.exchange("largest gap's round", largest_gap_round_);
    checkpoint.exchange("smallest sum", smallest_sum_);
    checkpoint.exchange("smallest sum's round", smallest_round_);
    checkpoint.exchange("full rounds", full_rounds_);
}

GameCertificate GameTally::certificate(std::span<const RunFooter> footers) const {
    GameCertificate result;
    result.rules = rules_;
    for (Index i = 0; i < seats_.size(); ++i) {
        const Seat& seat = seats_[i];
        result.players.push_back(seat.tally.certificate(footers[i]));
        result.summaries.push_back(measured(seat.header)
                                       ? GamePlayerSummary{seat.largest_residual, seat.last_residual,
                                                           seat.largest_variation, seat.largest_promise}
                                       : GamePlayerSummary{kNaN, kNaN, kNaN, kNaN});
    }
    result.rounds = rounds_;
    result.refused = refused_;
    result.unpromised = unpromised_.count;
    result.largest_gap = unmeasured_ ? kNaN : largest_gap_;
    result.largest_gap_round = unmeasured_ ? 0 : largest_gap_round_;
    result.last_gap = unmeasured_ ? kNaN : last_gap_;
    result.inequalities = {every_round(), bounded_variation(), wanted(), some_round()};
    result.paper = paper();
    return result;
}

}  // namespace proxstream
