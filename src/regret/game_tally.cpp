#include "regret/game_tally.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "regret/claim.hpp"
#include "regret/gap_sums.hpp"

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

}  // namespace

GameTally::GameTally(GameRules rules, const std::vector<RunHeader>& headers) : rules_(std::move(rules)) {
    for (const RunHeader& header : headers) {
        seats_.emplace_back(header);
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
        const RoundReport& judged = seats_[i].tally.judged();
        promised = add_player(seats_[i], judged) && promised;
        largest_rounding_ = std::max(largest_rounding_, judged.gap_rounding);
        gap = std::max(gap, reports[i].entry_gap);
        squares += reports[i].entry_gap * reports[i].entry_gap;
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
    const Real off = 3 * report.gap_rounding + 2 * seat.left.rounding;
    seat.bound = kNaN;
    seat.last_gap = report.entry_gap;
    if (!measured(seat.header)) {
        unmeasured_.note(rounds_);
    } else if (rounds_ >= 2) {
        seat.largest_gap = std::max(seat.largest_gap, report.entry_gap);
        if (seat.promised) {
            seat.bound = seat.left.promised + change;
            const WorstRound before = every_round_;
            every_round_.observe(rounds_, report.entry_gap, seat.bound, off);
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
    // An ensemble's next play may be another member's, of which this round promised nothing.
    seat.promised = seat.header.exit_test && seat.header.members.empty() && seat.left.sure &&
                    report.gap_rounding <= report.target_gap &&
                    (report.status == RoundStatus::quiet || report.status == RoundStatus::solved);
    return promised;
}

Inequality GameTally::every_round() const {
    const char* statement = "every player, t>=2: R_t <= (delta+sigma+d_t)/w";
    if (unmeasured_) {
        return Claim("G1", statement)
            .say(Verdict::not_applicable,
                 "gradients of some player are sampled, and its exact gaps are not known");
    }
    Claim line("G1", statement, every_round_);
    if (every_round_.checked == 0 && unpromised_)
        return line.say(Verdict::not_promised, "no player has to pass an exit test that is sure");
    if (every_round_.checked == 0) return line.say(Verdict::not_applicable, "there was no second round");
    if (every_round_.violations > 0) {
        line.explanation = every_round_.in_words("violated {} times, first in round {}");
    } else if (unpromised_) {
        line.explanation = fmt::format("tightest for player {}; ", worst_player_ + 1) +
                           unpromised_.in_words(
                               "not promised to some player in {} rounds, first in round {} "
                               "(no exit test, budget, or noise without a sure bound)");
    } else {
        line.explanation =
            fmt::format("checked {} times, tightest for player {}", every_round_.checked, worst_player_ + 1);
    }
    return line;
}

Inequality GameTally::bounded_variation() const {
    // How much of D is used up; a guess that was missed by far does not hide a proved bound that is broken.
    const auto severity = [&](Index i) {
        const WorstRound& each = seats_[i].variation;
        const Real bound = each.right + each.slack;
        const Real used = bound > 0 ? each.left / bound : (each.left > 0 ? kInfinity : 0);
        return std::pair(each.violations > 0 && rules_.variations[i]->proved, used);
    };
    std::optional<Index> worst;
    Index known = 0;
    for (Index i = 0; i < seats_.size(); ++i) {
        if (seats_[i].variation.checked == 0) continue;
        ++known;
        if (!worst || severity(i) > severity(*worst)) worst = i;
    }
    const char* statement = "every player and round: d_t <= D";
    if (!worst)
        return Claim("G2", statement)
            .say(Verdict::not_promised, "no bound on what rivals can change is known");
    Claim line("G2", statement, seats_[*worst].variation);
    const VariationBound& bound = *rules_.variations[*worst];
    // Only a bound that was proved can be violated.
    if (line.verdict == Verdict::violated && !bound.proved) line.verdict = Verdict::missed;
    line.explanation = fmt::format("D of {} of {} players; tightest for player {} ({})", known, seats_.size(),
                                   *worst + 1, bound.origin);
    return line;
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

Inequality GameTally::accuracy() const {
    Claim line("G3", "every player, t >= 2: R_t^2 <= epsilon");
    const Real derived = derived_epsilon();
    if (std::isnan(derived)) {
        return line.say(Verdict::not_promised, "it follows from G1 where every player's d_t has a bound D");
    }
    if (unmeasured_ || every_round_.checked == 0) return line.say(Verdict::not_applicable, "see G1");
    const Real right = rules_.epsilon.value_or(derived);
    line.round = largest_gap_round_;
    line.judge(largest_gap_ * largest_gap_, right,
               largest_rounding_ * (2 * largest_gap_ + largest_rounding_) + 16 * kUnitRoundoff * right);
    if (unpromised_) return line.say(Verdict::not_promised, "a round was not promised, see G1");
    const auto exceeded = [](const Seat& seat) { return seat.variation.violations > 0; };
    if (std::any_of(seats_.begin(), seats_.end(), exceeded))
        return line.say(Verdict::not_promised, "D was exceeded, see G2");
    if (derived > right * (1 + 1e-9)) {
        return line.say(
            Verdict::not_promised,
            fmt::format("these windows, tolerances and D guarantee {:.4g}; see 'advise'", derived));
    }
    line.explanation = rules_.epsilon ? fmt::format("as wanted; ((delta+sigma+D)/w)^2 is {:.4g}", derived)
                                      : "((delta+sigma+D)/w)^2, the largest over the players";
    return line;
}

Inequality GameTally::some_round() const {
    Claim line("G4", "some t>w: sum R^2 <= sum ((delta+sqrt c)/w)^2");
    if (unmeasured_) return line.say(Verdict::not_applicable, "see G1");
    if (full_rounds_ == 0) return line.say(Verdict::not_applicable, "no round had full windows");
    if (unpromised_) return line.say(Verdict::not_promised, "see G1");
    // Minkowski: the root mean square of R is at most that of what was promised plus that of d/w.
    const Real rounds = static_cast<Real>(full_rounds_);
    Real right = 0;
    for (const Seat& seat : seats_) {
        const Real root =
            std::sqrt(seat.promises.value() / rounds) + std::sqrt(seat.changes.value() / rounds);
        right += root * root;
    }
    line.round = smallest_round_;
    // sum (R + r)^2 - sum R^2 for roundings of at most r, by Cauchy and Schwarz.
    const Real players = static_cast<Real>(seats_.size());
    line.judge(smallest_sum_, right,
               largest_rounding_ * (2 * std::sqrt(players * smallest_sum_) + players * largest_rounding_) +
                   64 * kUnitRoundoff * right);
    line.explanation = "delta and c are the root mean squares over these rounds";
    return line;
}

PaperClaim GameTally::paper() const {
    PaperClaim claim{.id = "games",
                     .statement = "some t >= w: sum_i R^2 <= (2m(delta^2+c)/w)^2, in w^2 rounds"};
    claim.reason = "its proof needs w(w-1) >= 2m(delta^2+c)/eps";
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

void GameTally::Seat::serialise(StateArchive& archive) {
    archive.fields(Field{"tally", tally}, Field{"left", left}, Field{"promised", promised},
                   Field{"bound", bound}, Field{"last gap", last_gap}, Field{"variation", variation},
                   Field{"largest gap", largest_gap}, Field{"largest variation", largest_variation},
                   Field{"largest promise", largest_promise}, Field{"promises", promises},
                   Field{"changes", changes});
}

void GameTally::serialise(StateArchive& archive) {
    archive.agree("players", seats_.size());
    for (Seat& seat : seats_) archive.section("player", seat);
    archive.fields(Field{"rounds", rounds_}, Field{"refused", refused_}, Field{"every round", every_round_},
                   Field{"worst player", worst_player_});
    archive.require(worst_player_ < seats_.size(), "a player of this game");
    archive.fields(Field{"unpromised", unpromised_}, Field{"unmeasured", unmeasured_},
                   Field{"largest gap", largest_gap_}, Field{"last gap", last_gap_},
                   Field{"largest gap's round", largest_gap_round_}, Field{"smallest sum", smallest_sum_},
                   Field{"smallest sum's round", smallest_round_}, Field{"full rounds", full_rounds_},
                   Field{"largest rounding", largest_rounding_});
}

GameCertificate GameTally::certificate(std::span<const RunFooter> footers) const {
    GameCertificate result;
    result.rules = rules_;
    for (Index i = 0; i < seats_.size(); ++i) {
        const Seat& seat = seats_[i];
        result.players.push_back(seat.tally.certificate(footers[i]));
        result.summaries.push_back(measured(seat.header)
                                       ? GamePlayerSummary{seat.largest_gap, seat.last_gap,
                                                           seat.largest_variation, seat.largest_promise}
                                       : GamePlayerSummary{kNaN, kNaN, kNaN, kNaN});
    }
    result.rounds = rounds_;
    result.refused = refused_;
    result.unpromised = unpromised_.count;
    result.largest_gap = unmeasured_ ? kNaN : largest_gap_;
    result.largest_gap_round = unmeasured_ ? 0 : largest_gap_round_;
    result.last_gap = unmeasured_ ? kNaN : last_gap_;
    result.inequalities = {every_round(), bounded_variation(), accuracy(), some_round()};
    result.paper_claims = {paper()};
    return result;
}

}  // namespace proxstream
