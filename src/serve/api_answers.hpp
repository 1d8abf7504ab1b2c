/// What the API says, as JSON. Pieces that runs write themselves are put in as they are.
#pragma once

#include "serve/desk.hpp"
#include "serve/roster.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// {"loss":..,..}: a number a channel; null: not known.
std::string figures_json(const std::vector<std::string>& channels, const std::vector<Real>& figures);
/// What became of a post.
std::string rounds_json(const Desk& desk, const PostResult& result, bool batch);
std::string learner_json(const Desk& desk, const Roster& roster);
std::string decision_json(const Desk& desk, Turn turn, const std::string& decision);
std::string stored_turn_json(const Desk& desk, const StoredTurn& turn);
/// A text in quotes.
std::string json_string(std::string_view text);

}  // namespace proxstream
