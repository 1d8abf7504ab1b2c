/// The service's figures in Prometheus' text format 0.0.4.
#pragma once

#include "serve/http_server.hpp"
#include "serve/learner_registry.hpp"

#include <string>

namespace proxstream {

std::string metrics_text(const LearnerRegistry& registry, const HttpCounts& counts,
                         const std::string& version);

}  // namespace proxstream
