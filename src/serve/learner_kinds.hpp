/// The kinds of learners that can be served; each takes the options of its verb.
#pragma once

#include "run/settings_file.hpp"
#include "serve/served_run.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct KindOption {
    std::string name;
    bool names_file = false;  // a file or a folder; the API refuses it
};

struct LearnerKind {
    std::string name;
    std::vector<KindOption> options;
    /// A sink that adds the settings that can be read to `list`.
    SettingsSink (*sink)(SettingList& list);
    /// Opens a new store or, if the file is there, the run in it.
    std::unique_ptr<ServedRun> (*open)(const SettingList& settings, const std::string& version);
};

std::span<const LearnerKind> learner_kinds();
/// Throws ConfigError with the nearest name.
const LearnerKind& find_learner_kind(const std::string& name);

}  // namespace proxstream
