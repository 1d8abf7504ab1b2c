#include "serve/line_protocol.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"

#include <array>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// What can be asked by a line: its members but "op", "learner" and "decide" are the body.
struct Operation {
    std::string_view name;
    std::string_view method;
    std::string_view path;  // behind the learner's name
};

constexpr std::array kOperations{
    Operation{"rounds", "POST", "/rounds"},
    Operation{"decision", "GET", "/decision"},
    Operation{"predict", "POST", "/predict"},
    Operation{"certificate", "GET", "/certificate"},
    Operation{"state", "GET", ""},
    Operation{"checkpoint", "POST", "/checkpoint"},
};

[[noreturn]] void refuse_member(const std::string& name, const std::string& expected) {
    throw DataError({.source = "line", .line = 0, .column = 0, .field = name}, "cannot be used", expected);
}

}  // namespace

class LineProtocol::Reply final : public HttpReply {
  public:
    Reply(LineProtocol& protocol, std::shared_ptr<Slot> slot) : protocol_(protocol), slot_(std::move(slot)) {}
    ~Reply() override {
        if (!answered_)
            protocol_.answer(slot_, error_json({.status = 500, .message = "no answer was given"}));
    }
    void send(HttpResponse response) override {
        answered_ = true;
        protocol_.answer(slot_, std::move(response.body));
    }
    std::shared_ptr<EventStream> stream(HttpResponse) override {
        throw ConfigError("events do not go over a pipe");
    }

  private:
    LineProtocol& protocol_;
    std::shared_ptr<Slot> slot_;
    bool answered_ = false;
};

LineProtocol::LineProtocol(const Api& api, std::string learner, std::function<void(std::string_view)> write)
    : api_(api), learner_(std::move(learner)), write_(std::move(write)) {}

std::shared_ptr<LineProtocol::Slot> LineProtocol::reserve() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return slots_.size() < kWaiting; });
    return slots_.emplace_back(std::make_shared<Slot>());
}

void LineProtocol::answer(const std::shared_ptr<Slot>& slot, std::string text) {
    const std::lock_guard lock(mutex_);
    slot->answer = std::move(text);
    bool wrote = false;
    while (!slots_.empty() && slots_.front()->answer) {
        write_(*slots_.front()->answer + "\n");
        slots_.pop_front();
        wrote = true;
    }
    if (wrote) changed_.notify_all();
}

void LineProtocol::take(std::string_view line) {
    if (line.find_first_not_of(" \t\r") == line.npos) return;
    const auto slot = reserve();
    try {
        dispatch(line, slot);
    } catch (const DataError& error) {
        answer(slot, error_json({.status = 400, .message = error.what(), .field = error.where().field}));
    } catch (const std::exception& error) {
        answer(slot, error_json({.status = 400, .message = error.what()}));
    }
}

void LineProtocol::dispatch(std::string_view line, const std::shared_ptr<Slot>& slot) {
    Json body = parse_body(line);
    if (!body.is_object()) refuse_member("", "an object {..}");
    const auto member = [&](const char* name, const std::string& otherwise) {
        const auto found = body.find(name);
        if (found == body.end()) return otherwise;
        if (!found->is_string()) refuse_member(name, "a text");
        std::string text = *found;
        body.erase(name);
        return text;
    };
    const Operation& operation = find_row(kOperations, "op", member("op", "rounds"));
    const std::string learner = member("learner", learner_);
    if (learner.empty()) refuse_member("learner", "the name of one of the learners");
    HttpRequest request;
    request.method = operation.method;
    request.path = fmt::format("/v1/learners/{}{}", learner, operation.path);
    if (const auto decide = body.find("decide"); decide != body.end() && operation.path == "/rounds") {
        if (!decide->is_boolean()) refuse_member("decide", "true or false");
        request.query["decide"] = *decide ? "true" : "false";
        body.erase("decide");
    }
    request.headers["content-type"] = "application/json";
    if (operation.path == "/rounds" || operation.path == "/predict") {
        request.body = canonical(body);
    } else if (!body.empty()) {
        refuse_member(body.begin().key(), "no other member");
    }
    api_.handle_line(std::move(request), std::make_shared<Reply>(*this, slot));
}

void LineProtocol::refuse(const Refusal& refusal) {
    answer(reserve(), error_json(refusal));
}

void LineProtocol::finish() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return slots_.empty(); });
}

}  // namespace proxstream
