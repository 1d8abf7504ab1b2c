/// The service of `proxstream serve`: learners, API and network.
#pragma once

#include "serve/api.hpp"
#include "serve/learner_registry.hpp"
#include "serve/serve_settings.hpp"
#include "serve/tokens.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

class Service {
  public:
    /// Opens all learners; throws ConfigError, DataError, IoError.
    Service(const ServeSettings& settings, const std::vector<LearnerPlan>& learners,
            const std::string& version, const LearnerRegistry::Opener& opener);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    const Api& api() const noexcept { return api_; }
    LearnerRegistry& registry() noexcept { return registry_; }

    /// Starts to listen; returns the port. Throws IoError.
    std::uint16_t listen();
    /// Applies new tokens, limits and settings of learners. Returns a line for each problem.
    std::vector<std::string> reload(const ServeSettings& settings, const std::vector<LearnerPlan>& learners);
    /// Answers the requests that wait, saves and closes everything. Returns a line for each problem.
    std::vector<std::string> close();

  private:
    ServeSettings settings_;
    std::unique_ptr<Tokens> tokens_;
    std::unique_ptr<Workers> workers_;
    LearnerRegistry registry_;
    Api api_;
    std::unique_ptr<HttpServer> server_;
    bool closed_ = false;
};

}  // namespace proxstream
