#include "game/game_play.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/core/state_archive.hpp"

#include "core/find_row.hpp"
#include "game/play_batch.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace proxstream {
namespace {

struct TurnsRow {
    std::string_view name;
    Turns turns;
};
constexpr std::array kTurns{TurnsRow{"simultaneous", Turns::simultaneous},
                            TurnsRow{"alternating", Turns::alternating}};

}  // namespace

Turns parse_turns(std::string_view text) {
    return find_row(kTurns, "order of turns", text).turns;
}

std::string_view name(Turns turns) {
    return std::find_if(kTurns.begin(), kTurns.end(), [&](const TurnsRow& row) { return row.turns == turns; })
        ->name;
}

LearnerConfig player_parts(const GamePlayer& player) {
    return {
        .g = player.g,
        .make_batch = [cost = player.cost](Index capacity) { return AnyBatch(PlayBatch(cost, capacity)); },
        .start = player.start,
        .budget = {}};
}

GamePlay::GamePlay(GameDefinition game, std::vector<std::unique_ptr<AnyLearner>> learners, Turns turns)
    : game_(std::move(game)),
      layout_(game_.layout()),
      learners_(std::move(learners)),
      turns_(turns),
      joint_(layout_.dimension()),
      seen_(layout_.dimension()),
      records_(game_.players.size()),
      reports_(game_.players.size()),
      entered_(game_.players.size()) {
    if (learners_.size() != game_.players.size()) {
        throw ConfigError(std::to_string(learners_.size()) + " learners for " +
                          std::to_string(game_.players.size()) + " players");
    }
    check(game_);
}

void GamePlay::positions(View joint) const {
    for (Index i = 0; i < players(); ++i) copy(learners_[i]->decide(), layout_.block(joint, i));
}

GameRound GamePlay::play() {
    positions(joint_);
    std::fill(entered_.begin(), entered_.end(), 0);
    std::fill(reports_.begin(), reports_.end(), RoundReport{});
    const std::optional<Index> refused_by = turns_ == Turns::simultaneous ? play_at_once() : play_in_turns();
    if (refused_by) refuse_round(*refused_by);
    return {refused_by, reports_, joint_};
}

void GamePlay::rollback() {
    for (const auto& learner : learners_) learner->rollback();
}

std::optional<Index> GamePlay::play_at_once() {
    for (Index i = 0; i < players(); ++i) {
        if (!enter(i, joint_)) return i;
    }
    // Players do not observe each other in this phase, so they can be advanced in parallel.
    parallel_for(players(), [&](Index i) { advance(i); });
    const auto failed = std::find(entered_.begin(), entered_.end(), 0);
    if (failed == entered_.end()) return std::nullopt;
    return static_cast<Index>(failed - entered_.begin());
}

std::optional<Index> GamePlay::play_in_turns() {
    copy(joint_, seen_);
    for (Index i = 0; i < players(); ++i) {
        if (!enter(i, seen_)) return i;
        if (!advance(i)) return i;
        copy(learners_[i]->decide(), layout_.block(View(seen_), i));
    }
    return std::nullopt;
}

bool GamePlay::enter(Index player, ConstView joint) {
    const PlayerCost& cost = *game_.players[player].cost;
    condensed_.resize(cost.record_size());
    cost.condense(joint, condensed_, scratch_);
    RowBlock& record = records_[player];
    record.clear();
    record.add_dense(condensed_, 0);
    if (!learners_[player]->enter(record, reports_[player])) return false;
    entered_[player] = 1;
    return true;
}

bool GamePlay::advance(Index player) {
    learners_[player]->advance(reports_[player], {});
    // A learner that refuses has rolled its round back itself.
    if (reports_[player].status == RoundStatus::refused) entered_[player] = 0;
    return entered_[player] != 0;
}

void GamePlay::refuse_round(Index refused_by) {
    for (Index i = 0; i < players(); ++i) {
        if (entered_[i] != 0) learners_[i]->rollback();
        // The cost of what was evaluated before the refusal still counts.
        RoundReport refused;
        refused.round = reports_[refused_by].round;
        refused.status = RoundStatus::refused;
        refused.cost = reports_[i].cost;
        refused.referee_cost = reports_[i].referee_cost;
        reports_[i] = refused;
    }
}

void GamePlay::serialise(StateArchive& archive) {
    archive.agree("players", players());
    for (auto& learner : learners_) archive.section("player", *learner);
}

}  // namespace proxstream
