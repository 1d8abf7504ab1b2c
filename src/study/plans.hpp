/// The plans of the studies there are; each has a file of its own.
#pragma once

#include "study/study.hpp"

namespace proxstream {

StudyPlan plan_windows(StudyPreset preset, Index seeds);
StudyPlan plan_bank(StudyPreset preset, Index seeds);
StudyPlan plan_churn(StudyPreset preset, Index seeds);
StudyPlan plan_defaults(StudyPreset preset, Index seeds);
StudyPlan plan_defaults_on(const LearnSettings& settings, StudyPreset preset, Index seeds);
StudyPlan plan_regret_window(StudyPreset preset, Index seeds);
StudyPlan plan_steps(StudyPreset preset, Index seeds);
StudyPlan plan_errata(StudyPreset preset, Index seeds);
StudyPlan plan_offline_errata(StudyPreset preset, Index seeds);
StudyPlan plan_w1(StudyPreset preset, Index seeds);
StudyPlan plan_selection(StudyPreset preset, Index seeds);
StudyPlan plan_samples(StudyPreset preset, Index seeds);
StudyPlan plan_sample_complexity(StudyPreset preset, Index seeds);
StudyPlan plan_window_choice(StudyPreset preset, Index seeds);
StudyPlan plan_routing(StudyPreset preset, Index seeds);
StudyPlan plan_route_churn(StudyPreset preset, Index seeds);
StudyPlan plan_games(StudyPreset preset, Index seeds);
StudyPlan plan_gans(StudyPreset preset, Index seeds);

}  // namespace proxstream
