/// A network behind the service: demand and events are posted, splits are asked for.
#pragma once

#include "serve/served_run.hpp"

#include <memory>
#include <string>

namespace proxstream {

/// A new store, or the run in it gone on with. Rivals and clairvoyant stay away unless asked for. Throws
/// ConfigError, DataError, IoError.
std::unique_ptr<ServedRun> open_served_route(const SettingList& settings, const std::string& version);

}  // namespace proxstream
