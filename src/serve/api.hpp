/// The API as a whole: finds the route, checks who asks and how, and hands over. Needs no socket: whatever
/// can make a request and take a reply can use it.
#pragma once

#include "serve/api_call.hpp"
#include "serve/http_server.hpp"
#include "serve/roster.hpp"
#include "serve/tokens.hpp"

#include <functional>
#include <memory>
#include <string>

namespace proxstream {

class Api {
  public:
    explicit Api(ApiContext context) : context_(std::move(context)) {}

    /// Answers now or later, from any thread.
    void handle(HttpRequest request, std::shared_ptr<HttpReply> reply) const;
    /// From a line of a pipe: everything before it on the line counts, and nobody is asked for a token.
    void handle_line(HttpRequest request, std::shared_ptr<HttpReply> reply) const;

    /// Where the counts of the network come from, once there is one.
    void count_with(std::function<HttpCounts()> counts) { context_.counts = std::move(counts); }

  private:
    void dispatch(const CallPtr& call) const;

    ApiContext context_;
};

}  // namespace proxstream
