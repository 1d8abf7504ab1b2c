/// The API: finds the route of a request, checks token, query and body, and calls the handler. It needs no
/// socket, so the network, the pipe and tests use it alike.
#pragma once

#include "serve/api_call.hpp"
#include "serve/http_server.hpp"
#include "serve/learner_registry.hpp"
#include "serve/tokens.hpp"

#include <functional>
#include <memory>

namespace proxstream {

class Api {
  public:
    explicit Api(ApiContext context) : context_(std::move(context)) {}

    /// Answers now or later, from any thread.
    void handle(HttpRequest request, std::shared_ptr<HttpReply> reply) const;

    /// Sets the source of the network's counts.
    void count_with(std::function<HttpCounts()> counts) { context_.counts = std::move(counts); }

  private:
    ApiContext context_;
};

}  // namespace proxstream
