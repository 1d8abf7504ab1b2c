/// The kinds of learners that can be served, with the options each of them takes: its verb's own table.
#pragma once

#include "run/settings_file.hpp"
#include "store/run_identity.hpp"

#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct KindOption {
    std::string name;
    bool names_file = false;  // a file or a folder: never through the API
};

struct LearnerKind {
    std::string name;
    std::vector<KindOption> options;
    /// Takes settings by name; those that can be read are added to `list`, others are told.
    SettingsSink (*sink)(SettingList& list);
};

std::span<const LearnerKind> learner_kinds();
/// Throws ConfigError with the nearest name.
const LearnerKind& find_learner_kind(const std::string& name);

}  // namespace proxstream
