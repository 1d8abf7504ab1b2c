/// Everything `proxstream serve` is made of, put together: learners, API, network or pipe.
#pragma once

#include "serve/api.hpp"
#include "serve/roster.hpp"
#include "serve/serve_settings.hpp"
#include "serve/tokens.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class Service {
  public:
    /// Opens all learners; throws ConfigError, DataError, IoError.
    Service(const ServeSettings& settings, const std::vector<LearnerPlan>& learners,
            const std::string& version, const Roster::Opener& opener);
    ~Service();
    Service(const Service&) = delete;
    Service& operator=(const Service&) = delete;

    const Api& api() const noexcept { return api_; }
    Roster& roster() noexcept { return roster_; }

    /// Listens from now on; the port it got. Throws IoError.
    std::uint16_t listen();
    /// Lines from the descriptor until its end, or until somebody wants it to stop; answers to the other one.
    void talk(int in, int out, const std::atomic<bool>& stop);
    /// Tokens, limits, and what learners can take over; what could not be, a line each.
    std::vector<std::string> reload(const ServeSettings& settings, const std::vector<LearnerPlan>& learners);
    /// No more requests; what waits is answered, everything is saved and closed. What went wrong, a line
    /// each.
    std::vector<std::string> close();

  private:
    ServeSettings settings_;
    std::unique_ptr<Tokens> tokens_;
    std::unique_ptr<Workers> workers_;
    Roster roster_;
    Api api_;
    std::unique_ptr<HttpServer> server_;
    bool closed_ = false;
};

}  // namespace proxstream
