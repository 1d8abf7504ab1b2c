/// A learner of rows behind the service.
#pragma once

#include "serve/served_run.hpp"

#include <memory>
#include <string>

namespace proxstream {

/// Creates a store, or continues the run in it. Throws ConfigError, DataError, IoError.
std::unique_ptr<ServedRun> open_served_learn(const SettingList& settings, const std::string& version);

}  // namespace proxstream
