/// What an ensemble says of itself, and its saved state.
#include "proxstream/core/state_archive.hpp"

#include "online/ensemble.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {

RunHeader Ensemble::facts() const {
    RunHeader facts;
    facts.name = "ensemble";
    facts.dimension = now_.point.size();
    facts.selection = options_.selection.text;
    facts.exit_test = true;
    for (Index k = 0; k < points_.size(); ++k) {
        RunHeader point;
        point.name = names_[k];
        point.dimension = now_.point.size();
        point.measured = false;
        facts.members.push_back(std::move(point));
    }
    for (Index k = 0; k < windows_.size(); ++k) {
        facts.members.push_back(windows_[k].learner->facts());
        facts.members.back().name = names_[points_.size() + k];
        facts.window = std::max(facts.window, facts.members.back().window);
        facts.exit_test = facts.exit_test && facts.members.back().exit_test;
    }
    const RunHeader& longest = facts.members.back();
    facts.window_text = "auto";
    facts.effective_length = longest.effective_length;
    facts.model = longest.model;
    facts.reference_step = longest.reference_step;
    facts.hysteresis = longest.hysteresis;
    facts.switching = longest.switching;
    facts.initial_gap = facts.members[leading()].initial_gap;
    facts.initial_records = longest.initial_records;
    facts.initial_objective = longest.initial_objective;
    facts.regulariser_infimum = longest.regulariser_infimum;
    facts.prox_scale = longest.prox_scale;
    for (RunHeader& member : facts.members) {
        if (!member.measured) member.reference_step = longest.reference_step;
    }
    return facts;
}

Closing Ensemble::close() {
    Closing closing;
    for (Window& window : windows_)
        closing.members.push_back(window.restarted ? window.closing : window.learner->close());
    closing.regulariser = g_.value(now_.point, scratch_);
    return closing;
}

double Ensemble::seconds() const {
    double total = seconds_;
    for (const Window& window : windows_) total += window.learner->seconds();
    return total;
}

void Ensemble::serialise(StateArchive& archive) {
    archive.agree("points", points_.size());
    archive.agree("windows", windows_.size());
    archive.section("store", *store_);
    for (const auto& member : points_) archive.section("point", *member);
    for (Window& window : windows_) {
        archive.fields(
            Field{"window", *window.learner}, Field{"waiting", window.waiting},
            Field{"restarted", window.restarted}, Field{"last regulariser", window.closing.regulariser},
            Field{"last losses", window.closing.losses}, Field{"last weights", window.closing.weights});
    }
    if (mixing()) {
        archive.section("mixture", *now_.mixture);
    } else {
        archive.section("selector", *now_.selector);
    }
    archive.fields(Field{"entered", entered_}, Field{"revised", revised_});
    archive.fixed("recent", now_.recent);
    archive.fixed("point", now_.point);
    for (std::vector<Real>& point : now_.mixed) archive.fixed("mixed", point);
    archive.field("seconds", seconds_);
}

}  // namespace proxstream
