/// The plans of the studies, one file each.
#pragma once

#include "studies/study.hpp"

namespace proxstream {

StudyPlan plan_windows(StudyPreset preset);
StudyPlan plan_ensembles(StudyPreset preset);
StudyPlan plan_churn(StudyPreset preset);
StudyPlan plan_defaults(StudyPreset preset);
StudyPlan plan_defaults_on(const LearnSettings& settings, StudyPreset preset);
StudyPlan plan_regret_window(StudyPreset preset);
StudyPlan plan_window_choice(StudyPreset preset);
StudyPlan plan_steps(StudyPreset preset);
StudyPlan plan_errata(StudyPreset preset);
StudyPlan plan_selection(StudyPreset preset);
StudyPlan plan_samples(StudyPreset preset);
StudyPlan plan_sample_complexity(StudyPreset preset);
StudyPlan plan_routing(StudyPreset preset);
StudyPlan plan_games(StudyPreset preset);
StudyPlan plan_gans(StudyPreset preset);

}  // namespace proxstream
