/// The report page of a run of `learn`.
#include "core/json.hpp"
#include "run/learn_run.hpp"
#include "run/report_page.hpp"
#include "store/page_data.hpp"

#include <cmath>

namespace proxstream {
namespace {

using Json = nlohmann::json;

Json figure(Real value) {
    return std::isfinite(value) ? Json(value) : Json(nullptr);
}

/// The page's data besides the series: members, metrics, and the losses to compare with.
std::string summary_json(const LearnOutcome& outcome, const RunHeader& header,
                         const std::optional<BestConstant>& constant, Index window) {
    const auto all = outcome.metrics.all();
    const auto recent = outcome.metrics.recent();
    Json metrics = Json::array();
    for (Index i = 0; i < all.size(); ++i) {
        metrics.push_back(
            {{"name", all[i].name}, {"all", figure(all[i].value)}, {"recent", figure(recent[i].value)}});
    }
    Json members = Json::array();
    for (const RunHeader& member : header.members)
        members.push_back(member.name.empty() ? member.window_text : member.name);
    return Json{{"kind", "learn"},
                {"rows", outcome.metrics.rows()},
                {"window", window},
                {"metrics", std::move(metrics)},
                {"members", std::move(members)},
                {"best_constant", constant ? figure(constant->loss) : Json(nullptr)},
                {"previous_label", figure(outcome.previous.loss().value_or(kNotKnown))}}
        .dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

RunResult LearnRun::result() const {
    return {
        .certificate = to_json(outcome_.certificate),
        .page = summary_json(outcome_, header(), sampler_.best(settings_.loss), settings_.metrics_window)};
}

void LearnRun::write_report() {
    PageParts parts;
    if (journal_ != nullptr) {
        parts = page_parts(RunStore(journal_->path()));
    } else {
        const RunResult ended = result();
        const Round turns = outcome_.totals.rounds + outcome_.totals.refused;
        parts.identity = identity();
        parts.state = {.turn = turns, .saved = turns, .finished = outcome_.ending == RunEnding::finished};
        parts.series = series_;
        parts.certificate = ended.certificate;
        parts.decision = record().decision;
        parts.summary = ended.page;
    }
    write_whole_file(settings_.report, page_with_data(page_json(parts)));
}

}  // namespace proxstream
