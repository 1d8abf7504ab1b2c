#include "store/recovery_plan.hpp"

#include "proxstream/core/error.hpp"

#include "store/account.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Turns depend on the clock: resume cannot play stored ones again.
bool is_clocked(const RunIdentity& identity) {
    return std::any_of(identity.settings.begin(), identity.settings.end(), [](const auto& setting) {
        return setting.first == "max-seconds" && !setting.second.empty() && setting.second != "inf";
    });
}

class Planner {
  public:
    Planner(Database& database, const Salvage& found)
        : database_(database), found_(found), clocked_(is_clocked(found.identity)) {}

    bool must_keep_state() const { return found_.served || clocked_; }
    /// Nothing if the state cannot be used.
    std::optional<RecoveryPlan> with_state(const SalvagedState& state) const;
    RecoveryPlan without_state() const;

  private:
    Turn last_turn_after(Turn turn) const {
        const auto next = found_.turns.around(turn + 1);
        return clocked_ || !next ? turn : next->last;
    }
    bool certifies(const StoredAccount& account) const;
    bool rows_reach(const StoredAccount& account, const LedgerMark& folded, const LedgerMark& mark) const;
    bool keep_sums(StoredAccount& account, const LedgerMark& mark, Turn last) const;
    bool lose_sums(RecoveryPlan& plan) const;
    std::optional<StoredAccount> later_account(StoredAccount account, const RecoveryPlan& plan) const;
    KeyRanges::Range lines_of(const StoredAccount& account, Turn last) const;
    void add(RecoveryPlan& plan, StoredAccount account) const {
        const KeyRanges::Range lines = lines_of(account, plan.last);
        plan.accounts.push_back({std::move(account), lines});
    }
    Turn turn_of(std::uint64_t place) const {
        return database_.count("SELECT turn FROM ledger WHERE place = ?1", place);
    }
    Turn last_turn_with_rows() const;

    Database& database_;
    const Salvage& found_;
    bool clocked_;
};

bool Planner::certifies(const StoredAccount& account) const {
    try {
        certify_account(database_, account);
        return true;
    } catch (const std::exception&) {
        return false;
    }
}

/// Whether all rows up to the mark are in the sums or stored.
bool Planner::rows_reach(const StoredAccount& account, const LedgerMark& folded,
                         const LedgerMark& mark) const {
    if (folded.lines == mark.lines && folded.lines > 1) return folded.digest == mark.digest;
    return folded.lines > mark.lines || found_.texts.holds(ledger_place(account.account, folded.lines + 1),
                                                           ledger_place(account.account, mark.lines));
}

/// Whether the account is whole up to the mark of the state. A footer behind the last turn is dropped.
bool Planner::keep_sums(StoredAccount& account, const LedgerMark& mark, Turn last) const {
    try {
        const LedgerMark folded = folded_rows(account, database_.path()).mark;
        if (!rows_reach(account, folded, mark)) return false;
        if (account.footer_turn <= last) return certifies(account);
        account.footer.clear();
        account.footer_turn = 0;
        return folded.lines <= mark.lines;
    } catch (const DataError&) {
        return false;
    }
}

/// An account that the state does not have: resume opens it again. It is kept so that rows are compared.
std::optional<StoredAccount> Planner::later_account(StoredAccount account, const RecoveryPlan& plan) const {
    if (account.turn <= plan.state || account.turn > plan.last) return std::nullopt;
    if (account.footer_turn <= plan.last && certifies(account)) return account;
    if (!account.folded.empty()) return std::nullopt;
    account.footer.clear();
    account.footer_turn = 0;
    return account;
}

/// The lines behind the sums, up to the first that is missing or of a turn after `last`.
KeyRanges::Range Planner::lines_of(const StoredAccount& account, Turn last) const {
    const std::uint64_t first =
        ledger_place(account.account, folded_rows(account, database_.path()).mark.lines + 1);
    const auto there = found_.lines.around(first);
    if (!there) return {1, 0};
    Statement row(database_,
                  "SELECT place FROM ledger WHERE place >= ?1 AND place <= ?2 AND turn <= ?3 "
                  "ORDER BY place DESC LIMIT 1");
    if (!row.bind(first, there->last, last).step()) return {1, 0};
    return {first, row.count(0)};
}

/// Drops rows and sums of accounts whose sums resume takes from the state. Returns whether it can.
bool Planner::lose_sums(RecoveryPlan& plan) const {
    // The state of a route has no sums of past epochs, and a service makes its learner later.
    if (found_.identity.kind == "route" || found_.served) return false;
    // The certificate of a game needs all players.
    plan.lost_sums.clear();
    for (auto& [account, lines] : plan.accounts) {
        account.folded.clear();
        account.footer.clear();
        account.footer_turn = 0;
        lines = {1, 0};
        plan.lost_sums.push_back(account.account);
    }
    return true;
}

std::optional<RecoveryPlan> Planner::with_state(const SalvagedState& state) const {
    const auto before = found_.turns.around(state.turn);
    RecoveryPlan plan{.state = state.turn,
                      .folded = before ? before->first - 1 : state.turn,
                      .last = last_turn_after(state.turn)};
    // Turns that are played again would differ behind a wrong state.
    if (state.refuted || (!state.confirmed && plan.last == state.turn)) return std::nullopt;
    for (const auto& [number, mark] : state.marks.ledgers) {
        const auto known = found_.accounts.find(number);
        if (known == found_.accounts.end()) return std::nullopt;
        StoredAccount account = known->second;
        if (keep_sums(account, mark, plan.last)) {
            add(plan, std::move(account));
        } else {
            plan.lost_sums.push_back(number);
            plan.accounts.push_back({std::move(account)});
        }
    }
    if (!plan.lost_sums.empty() && !lose_sums(plan)) return std::nullopt;
    for (const auto& [number, account] : found_.accounts) {
        const bool in_state = std::any_of(state.marks.ledgers.begin(), state.marks.ledgers.end(),
                                          [n = number](const auto& mark) { return mark.first == n; });
        if (in_state) continue;
        if (auto later = later_account(account, plan)) add(plan, std::move(*later));
    }
    return plan;
}

/// The last turn before the first ledger row that is lost. All turns if there are only seals, which resume
/// does not need.
Turn Planner::last_turn_with_rows() const {
    Turn last = kAllTurns;
    for (const auto& [number, turn] : found_.last_lines) {
        const KeyRanges::Range all{ledger_place(number, 0), ledger_place(number + 1, 0) - 1};
        const bool texts = std::any_of(
            found_.texts.ranges().begin(), found_.texts.ranges().end(),
            [&](const KeyRanges::Range& each) { return each.first >= all.first && each.first <= all.last; });
        if (!texts) continue;
        const auto known = found_.accounts.find(number);
        if (known == found_.accounts.end()) return 0;
        const auto there = found_.lines.around(all.first + 2);
        const Turn reached = there ? turn_of(there->last) : known->second.turn - 1;
        if (reached < turn) last = std::min(last, reached);
    }
    return last;
}

RecoveryPlan Planner::without_state() const {
    RecoveryPlan plan;
    const DataLocation here{.source = database_.path(), .line = 0, .column = 0, .field = ""};
    const Ancestry& parent = found_.identity.parent;
    if (parent.turn > 0) {
        throw DataError(here, "no saved state of this fork is whole",
                        fmt::format("one, because its first {} turns are in {}; fork that again", parent.turn,
                                    parent.store));
    }
    if (found_.served && found_.last > 0 && !found_.turns.around(1)) {
        throw DataError(here, "no saved state is whole, and the first posts are gone",
                        "one of them; nothing can be recovered");
    }
    plan.last = last_turn_after(0);
    // Rows that resume makes anew stay in memory until it has come to new turns.
    if (!found_.served) plan.last = std::min(plan.last, last_turn_with_rows());
    for (const auto& [number, account] : found_.accounts)
        if (auto later = later_account(account, plan)) add(plan, std::move(*later));
    return plan;
}

}  // namespace

RecoveryPlan plan_recovery(Database& database, const Salvage& salvage, bool replay) {
    const Planner planner(database, salvage);
    std::optional<RecoveryPlan> best;
    const auto loss = [](const RecoveryPlan& plan) { return std::pair(plan.folded, plan.lost_sums.size()); };
    for (auto state = salvage.states.rbegin(); !replay && state != salvage.states.rend(); ++state) {
        auto plan = planner.with_state(*state);
        if (!plan) continue;
        if (!best || loss(*plan) < loss(*best)) best = std::move(plan);
        // Turns behind an older state may not come back.
        if (planner.must_keep_state()) break;
    }
    if (!best) best = planner.without_state();
    std::sort(best->accounts.begin(), best->accounts.end(),
              [](const PlannedAccount& a, const PlannedAccount& b) {
                  return a.account.account < b.account.account;
              });
    return *best;
}

}  // namespace proxstream
