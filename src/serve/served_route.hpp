/// A network behind the service: demand and events are posted, splits are asked for.
#pragma once

#include "serve/served_run.hpp"

#include <memory>
#include <string>

namespace proxstream {

/// Creates a store, or continues the run in it. Rivals and lower bound are off unless the settings ask for
/// them. Throws ConfigError, DataError, IoError.
std::unique_ptr<ServedRun> open_served_route(const SettingList& settings, const std::string& version);

}  // namespace proxstream
