#include "serve/service.hpp"

#include "proxstream/core/error.hpp"

#include <utility>

namespace proxstream {

Service::Service(const ServeSettings& settings, const std::vector<LearnerPlan>& learners,
                 const std::string& version, const LearnerRegistry::Opener& opener)
    : settings_(settings),
      tokens_(settings.token_file.empty() ? std::make_unique<Tokens>()
                                          : std::make_unique<Tokens>(settings.token_file)),
      workers_(std::make_unique<Workers>(static_cast<unsigned>(settings.workers))),
      registry_(*workers_, opener),
      api_({.registry = registry_, .tokens = *tokens_, .version = version}) {
    registry_.open(learners);
}

Service::~Service() {
    close();
    workers_.reset();  // before the learners that its tasks refer to
}

std::uint16_t Service::listen() {
    HttpServer::Options options;
    options.address = settings_.listen;
    options.port = static_cast<std::uint16_t>(settings_.port);
    options.limits = static_cast<const HttpLimits&>(settings_);
    options.threads = static_cast<unsigned>(settings_.http_threads);
    server_ =
        std::make_unique<HttpServer>(options, [this](HttpRequest request, std::shared_ptr<HttpReply> reply) {
            api_.handle(std::move(request), std::move(reply));
        });
    api_.count_with([server = server_.get()] { return server->counts(); });
    return server_->port();
}

std::vector<std::string> Service::reload(const ServeSettings& settings,
                                         const std::vector<LearnerPlan>& learners) {
    std::vector<std::string> problems;
    if (settings.token_file.empty() != settings_.token_file.empty()) {
        problems.emplace_back("token-file: restart the service to begin or end the use of tokens");
    } else if (!settings.token_file.empty()) {
        try {
            tokens_->reload(settings.token_file);
        } catch (const Error& error) {
            problems.emplace_back(error.what());
        }
    }
    if (server_) server_->set_limits(settings);
    const auto refused = registry_.reload(learners);
    problems.insert(problems.end(), refused.begin(), refused.end());
    return problems;
}

std::vector<std::string> Service::close() {
    if (std::exchange(closed_, true)) return {};
    for (const auto& queue : registry_.all()) queue->events().close();
    if (server_) server_->drain(settings_.drain_seconds);
    return registry_.close();
}

}  // namespace proxstream
