#include "study/defaults_entries.hpp"

#include "proxstream/core/spec.hpp"

#include "online/learner_table.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr const char* kStatic = "static, known beforehand";

std::vector<Index> defaults_windows(StudyPreset preset) {
    return preset == StudyPreset::full ? std::vector<Index>{1, 4, 16, 64, 256, 1024}
                                       : std::vector<Index>{4, 16, 64};
}

std::string window_name(Index window) {
    return fmt::format("window {}", window);
}

std::string window_text(Index window) {
    return fmt::format("time-smoothed:window={}", window);
}

/// A method whose text has a place for its learning rate.
Entry tuned(std::string name, const std::string& text, const std::vector<Real>& rates,
            const std::vector<std::pair<std::string, Real>>& knobs = {}) {
    Entry entry{std::move(name), {}, text.find("replay=") != std::string::npos};
    for (const Real rate : rates) {
        Candidate& candidate = entry.candidates.emplace_back();
        candidate.learner = fmt::format(fmt::runtime(text), format_short(rate));
        candidate.knobs = knobs;
        candidate.knobs.emplace_back("step", rate);
    }
    return entry;
}

/// Both constant and falling rates: it is not known whether a stream drifts.
Entry tuned_sgd(const std::string& name, const std::string& arguments, const std::vector<Real>& rates) {
    Entry entry = tuned(name, "prox-sgd:{},power=0" + arguments, rates, {{"power", 0}});
    const Entry falling = tuned(name, "prox-sgd:{},power=0.5" + arguments, rates, {{"power", 0.5}});
    entry.candidates.insert(entry.candidates.end(), falling.candidates.begin(), falling.candidates.end());
    return entry;
}

bool is_known(const Entry& entry) {
    const auto known = [](const Candidate& candidate) {
        const std::string name = Spec::parse(candidate.learner).name();
        return std::any_of(learners().begin(), learners().end(),
                           [&](const LearnerRow& row) { return row.name == name; });
    };
    return std::all_of(entry.candidates.begin(), entry.candidates.end(), known);
}

std::vector<Entry> full_rivals() {
    const std::string replay = ",replay=16,window=256";
    const std::vector<Real> sgd_rates{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
    const std::vector<Real> adagrad_rates{0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
    const std::vector<Real> adam_rates{0.0003, 0.001, 0.003, 0.01, 0.03, 0.1};
    Entry re_solve{"re-solve", {}};
    for (const Index window : {Index{16}, Index{64}, Index{256}}) {
        re_solve.candidates.push_back(
            {fmt::format("re-solve:window={}", window), {{"window", static_cast<Real>(window)}}});
    }
    return {tuned_sgd("prox-sgd", "", sgd_rates),
            tuned_sgd("prox-sgd, replay", replay, sgd_rates),
            tuned(kAdagradEntry, "adagrad:{}", adagrad_rates),
            tuned("adagrad, replay", "adagrad:{}" + replay, adagrad_rates),
            tuned("adam", "adam:{}", adam_rates),
            re_solve,
            tuned("full history", "full-history:{}", {0.01, 0.03, 0.1, 0.3, 1}),
            {"rls", {{"rls:memory=inf"}}},
            {"rls, memory 500", {{"rls:memory=500"}}},
            {"rls, memory 100", {{"rls:memory=100"}}},
            {"coin", {{"coin"}}},
            {"last value", {}}};
}

std::vector<Entry> quick_rivals() {
    return {tuned_sgd("prox-sgd", "", {0.01, 0.1}),
            tuned(kAdagradEntry, "adagrad:{}", {0.1, 1}),
            tuned("adagrad, replay", "adagrad:{},replay=16,window=256", {0.1, 1}),
            {"last value", {}}};
}

}  // namespace

std::vector<Entry> row_entries(StudyPreset preset) {
    std::vector<Entry> all{{kDefaultEntry, {{"time-smoothed"}}, true}};
    for (const Index window : defaults_windows(preset))
        all.push_back({window_name(window), {{window_text(window)}}});
    for (Entry& rival : preset == StudyPreset::full ? full_rivals() : quick_rivals())
        if (is_known(rival)) all.push_back(std::move(rival));
    return all;
}

std::vector<RouteEntry> route_entries(StudyPreset preset) {
    std::vector<RouteEntry> all{{kDefaultEntry, "time-smoothed", true}};
    for (const Index window : defaults_windows(preset))
        all.push_back({window_name(window), window_text(window)});
    all.insert(all.end(), {{kAdagradEntry, "adagrad:step=0.1"},
                           {"adagrad, replay", "adagrad:step=0.1,replay=16", true},
                           {"re-solve last", "re-solve-last"}});
    if (preset == StudyPreset::quick) return all;
    all.insert(all.end(), {{"adagrad 1", "adagrad:step=1"},
                           {"adagrad 1, replay", "adagrad:step=1,replay=16", true},
                           {"re-solve mean of 16", "re-solve-mean:window=16"},
                           {"re-solve mean of 64", "re-solve-mean:window=64"},
                           {kStatic, "static"}});
    return all;
}

bool is_fixed_window(std::string_view entry) {
    return entry.starts_with("window ");
}

bool is_rival(std::string_view entry) {
    return entry != kDefaultEntry && entry != kStatic;
}

}  // namespace proxstream
