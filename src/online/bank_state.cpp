/// What an ensemble says of itself, and its saved state.
#include "proxstream/core/checkpoint.hpp"

#include "online/bank.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {

LearnerFacts Bank::facts() const {
    LearnerFacts facts;
    facts.name = "bank";
    facts.dimension = point_.size();
    facts.play = options_.selection.text;
    facts.counts_steps = false;
    for (Index k = 0; k < points_.size(); ++k) {
        LearnerFacts point;
        point.name = names_[k];
        point.dimension = point_.size();
        point.measured = false;
        facts.members.push_back(std::move(point));
    }
    for (Index k = 0; k < windows_.size(); ++k) {
        facts.members.push_back(windows_[k].learner->facts());
        facts.members.back().name = names_[points_.size() + k];
        facts.window = std::max(facts.window, facts.members.back().window);
        facts.promises_exit = facts.promises_exit && facts.members.back().promises_exit;
    }
    const LearnerFacts& longest = facts.members.back();
    facts.window_text = "auto";
    facts.effective_length = longest.effective_length;
    facts.model = longest.model;
    facts.step = longest.step;
    facts.hysteresis = longest.hysteresis;
    facts.switching = longest.switching;
    facts.initial_residual = facts.members[leading()].initial_residual;
    facts.initial_records = longest.initial_records;
    facts.initial_objective = longest.initial_objective;
    facts.infimum_regulariser = longest.infimum_regulariser;
    facts.prox_scale = longest.prox_scale;
    for (LearnerFacts& member : facts.members) {
        if (!member.measured) member.step = longest.step;
    }
    return facts;
}

Closing Bank::close() {
    Closing closing;
    for (Window& window : windows_)
        closing.members.push_back(window.restarted ? window.closing : window.learner->close());
    closing.regulariser = g_.value(point_, scratch_);
    return closing;
}

double Bank::seconds() const {
    double total = seconds_;
    for (const Window& window : windows_) total += window.learner->seconds();
    return total;
}

void Bank::Restart::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("loss", loss);
    checkpoint.exchange("regulariser", regulariser);
    checkpoint.exchange("state", state);
    checkpoint.exchange("out", out);
    checkpoint.exchange("restarted", restarted);
}

void Bank::exchange(Checkpoint& checkpoint) {
    checkpoint.agree("points", points_.size());
    checkpoint.agree("windows", windows_.size());
    checkpoint.part("store", *store_);
    for (const auto& member : points_) checkpoint.part("point", *member);
    for (Window& window : windows_) {
        checkpoint.part("window", *window.learner);
        checkpoint.exchange("out", window.out);
        checkpoint.exchange("restarted", window.restarted);
        checkpoint.exchange("last regulariser", window.closing.regulariser);
        checkpoint.list("last losses", window.closing.losses);
        checkpoint.list("last weights", window.closing.weights);
        checkpoint.exchange("entered", window.entered);
        checkpoint.part("restart", window.restart);
    }
    checkpoint.exchange("advanced", advanced_);
    if (mixture_) {
        checkpoint.part("mixture", *mixture_);
        checkpoint.part("mixture before", *mixture_before_);
    } else {
        checkpoint.part("selector", *selector_);
    }
    checkpoint.exchange("entered", entered_);
    checkpoint.exchange("revised", revised_);
    checkpoint.fixed("recent", recent_);
    checkpoint.fixed("recent before", recent_before_);
    checkpoint.exchange("seconds", seconds_);
    if (checkpoint.reading()) choose_point();
}

}  // namespace proxstream
