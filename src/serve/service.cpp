#include "serve/service.hpp"

#include "proxstream/core/error.hpp"

#include "serve/line_protocol.hpp"

#include <cerrno>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

namespace proxstream {
namespace {

void write_all(int out, std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(out, text.data(), text.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return;  // nobody reads any more; the records are played and stored all the same
        text.remove_prefix(static_cast<std::size_t>(written));
    }
}

/// Lines of no more than `longest` bytes; what is longer is skipped and told.
class LineSplitter {
  public:
    explicit LineSplitter(std::size_t longest) : longest_(longest) {}

    void feed(std::string_view bytes, LineProtocol& protocol) {
        while (!bytes.empty()) {
            const std::size_t end = bytes.find('\n');
            const std::string_view piece = bytes.substr(0, end);
            if (line_.size() + piece.size() > longest_) too_long_ = true;
            if (too_long_) {
                line_.clear();
            } else {
                line_ += piece;
            }
            if (end == bytes.npos) return;
            finish(protocol);
            bytes.remove_prefix(end + 1);
        }
    }
    void finish(LineProtocol& protocol) {
        if (std::exchange(too_long_, false)) {
            protocol.refuse(
                {.status = 413, .message = fmt::format("a line is longer than {} bytes", longest_)});
        } else {
            protocol.take(line_);
        }
        line_.clear();
    }

  private:
    std::size_t longest_;
    std::string line_;
    bool too_long_ = false;
};

}  // namespace

Service::Service(const ServeSettings& settings, const std::vector<LearnerPlan>& learners,
                 const std::string& version, const Roster::Opener& opener)
    : settings_(settings),
      tokens_(settings.token_file.empty() ? std::make_unique<Tokens>()
                                          : std::make_unique<Tokens>(settings.token_file)),
      workers_(std::make_unique<Workers>(static_cast<unsigned>(settings.workers))),
      roster_(*workers_, opener),
      api_({.roster = roster_, .tokens = *tokens_, .version = version}) {
    roster_.open(learners);
}

Service::~Service() {
    close();
    workers_.reset();  // before the learners its tasks speak of
}

std::uint16_t Service::listen() {
    HttpServer::Options options;
    options.address = settings_.listen;
    options.port = static_cast<std::uint16_t>(settings_.port);
    options.limits = http_limits(settings_);
    options.threads = static_cast<unsigned>(settings_.http_threads);
    server_ =
        std::make_unique<HttpServer>(options, [this](HttpRequest request, std::shared_ptr<HttpReply> reply) {
            api_.handle(std::move(request), std::move(reply));
        });
    api_.count_with([server = server_.get()] { return server->counts(); });
    return server_->port();
}

void Service::talk(int in, int out, const std::atomic<bool>& stop) {
    const auto desks = roster_.all();
    LineProtocol protocol(api_, desks.size() == 1 ? desks.front()->name() : std::string(),
                          [out](std::string_view line) { write_all(out, line); });
    LineSplitter lines(settings_.max_body);
    std::string buffer(std::size_t{1} << 16U, '\0');
    constexpr int kPatience = 100;  // milliseconds between two looks at `stop`
    while (!stop) {
        pollfd ready{in, POLLIN, 0};
        if (::poll(&ready, 1, kPatience) <= 0) continue;
        const ssize_t size = ::read(in, buffer.data(), buffer.size());
        if (size < 0 && errno == EINTR) continue;
        if (size <= 0) break;
        lines.feed(std::string_view(buffer).substr(0, static_cast<std::size_t>(size)), protocol);
    }
    lines.finish(protocol);  // a last line without its end is one all the same
    protocol.finish();
}

std::vector<std::string> Service::reload(const ServeSettings& settings,
                                         const std::vector<LearnerPlan>& learners) {
    std::vector<std::string> problems;
    if (settings.token_file.empty() != settings_.token_file.empty()) {
        problems.emplace_back("token-file: whether tokens are needed is decided at the start");
    } else if (!settings.token_file.empty()) {
        try {
            tokens_->reload(settings.token_file);
        } catch (const Error& error) {
            problems.emplace_back(error.what());
        }
    }
    if (server_) server_->set_limits(http_limits(settings));
    const auto refused = roster_.reload(learners);
    problems.insert(problems.end(), refused.begin(), refused.end());
    return problems;
}

std::vector<std::string> Service::close() {
    if (std::exchange(closed_, true)) return {};
    for (const auto& desk : roster_.all()) desk->events().close();
    if (server_) server_->drain(settings_.drain_seconds);
    return roster_.close();
}

}  // namespace proxstream
