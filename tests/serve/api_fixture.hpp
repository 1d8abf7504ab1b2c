/// The API without a socket: requests in, replies out, each of them held against the API's own document.
#pragma once

#include "fake_run.hpp"
#include "json_schema.hpp"
#include "serve/api.hpp"
#include "serve/api_routes.hpp"

#include <fstream>
#include <future>
#include <mutex>
#include <set>

namespace proxstream {

inline bool contains(const std::string& text, const std::string& piece) {
    return text.find(piece) != text.npos;
}

inline std::string header_of(const HttpResponse& response, const std::string& name) {
    for (const auto& [header, value] : response.headers)
        if (header == name) return value;
    return {};
}

class FakeStream final : public PieceStream {
  public:
    bool send(std::string_view text) override {
        const std::lock_guard lock(mutex_);
        if (open_) text_ += text;
        return open_;
    }
    bool open() const override {
        const std::lock_guard lock(mutex_);
        return open_;
    }
    void close() override {
        const std::lock_guard lock(mutex_);
        open_ = false;
        if (when_closed) when_closed(text_);
    }
    void abort() override {
        send("(broken off)");
        close();
    }
    void when_taken(std::function<void()> ready) override {
        if (before_piece) before_piece();
        ready();
    }
    /// What came since it was last asked for.
    std::string take() {
        const std::lock_guard lock(mutex_);
        return std::exchange(text_, {});
    }

    std::function<void(const std::string&)> when_closed;
    std::function<void()> before_piece;

  private:
    mutable std::mutex mutex_;
    std::string text_;
    bool open_ = true;
};

class FakeReply final : public HttpReply {
  public:
    ~FakeReply() override {
        if (!answered_) answer_.set_value({.status = 500, .body = "no answer"});
    }
    Demand demand() const override { return wanted; }
    void send(HttpResponse response) override {
        answered_ = true;
        answer_.set_value(std::move(response));
    }
    std::shared_ptr<EventStream> stream(HttpResponse head) override {
        answered_ = true;
        answer_.set_value(std::move(head));
        return events;
    }
    /// The answer is there when its last piece is.
    std::shared_ptr<PieceStream> send_pieces(HttpResponse head) override {
        answered_ = true;
        events->before_piece = before_piece;
        events->when_closed = [this, head](const std::string& text) {
            HttpResponse whole = head;
            whole.body = text;
            answer_.set_value(whole);
        };
        return events;
    }
    std::future<HttpResponse> answer() { return answer_.get_future(); }

    const std::shared_ptr<FakeStream> events = std::make_shared<FakeStream>();
    std::function<void()> before_piece = {};  // between the pieces of an answer
    Demand wanted = Demand::wanted;

  private:
    std::promise<HttpResponse> answer_;
    bool answered_ = false;
};

class ApiFixture {
  public:
    explicit ApiFixture(const std::vector<std::string>& learners = {"main"},
                        const LearnerQueueOptions& options = {}, const std::string& keep = "all")
        : registry(*workers,
                   [](const std::string&, const SettingList& settings) { return FakeRun::open(settings); }) {
        std::vector<LearnerPlan> plans;
        for (const std::string& name : learners)
            plans.push_back({name, "learn", {{"store", folder / (name + ".run")}, {"keep", keep}}, options});
        registry.open(plans);
    }
    /// Real learners, as a scenario describes them.
    struct Scenario {
        std::string toml;
    };
    explicit ApiFixture(const Scenario& scenario)
        : registry(*workers, [](const std::string& kind, const SettingList& settings) {
              return open_served_run(kind, settings, "1.2.3");
          }) {
        ServeSettings settings;
        settings.store_folder = folder.path();
        registry.open(read_learners(scenario.toml, "scenario", settings));
    }
    ~ApiFixture() {
        registry.close();
        workers.reset();
    }
    ApiFixture(const ApiFixture&) = delete;
    ApiFixture& operator=(const ApiFixture&) = delete;

    static HttpRequest request(const std::string& method, const std::string& target,
                               const std::string& body = {}) {
        HttpRequest made;
        made.method = method;
        made.path = target.substr(0, target.find('?'));
        if (!body.empty()) made.headers["content-type"] = "application/json";
        made.body = body;
        for (std::size_t at = target.find('?'); at != target.npos;) {
            const std::size_t end = target.find('&', at + 1);
            const std::string pair = target.substr(at + 1, end == target.npos ? end : end - at - 1);
            made.query[pair.substr(0, pair.find('='))] = pair.substr(pair.find('=') + 1);
            at = end;
        }
        return made;
    }
    HttpResponse ask(HttpRequest asked) {
        auto reply = std::make_shared<FakeReply>();
        reply->before_piece = before_piece;
        reply->wanted = demand;
        auto answer = reply->answer();
        const HttpRequest copy = asked;
        events = reply->events;
        api.handle(std::move(asked), std::exchange(reply, nullptr));
        HttpResponse response = answer.get();
        hold_against_document(copy, response);
        return response;
    }
    HttpResponse ask(const std::string& method, const std::string& target, const std::string& body = {}) {
        return ask(request(method, target, body));
    }
    Json get(const std::string& target) { return Json::parse(ask("GET", target).body); }
    HttpResponse post(const std::string& target, const std::string& body = {}) {
        return ask("POST", target, body);
    }
    std::string error_of(const HttpResponse& response) const {
        const Json body = Json::parse(response.body);
        return body["error"]["message"];
    }

    TestFolder folder;
    std::unique_ptr<Workers> workers = std::make_unique<Workers>(2);
    LearnerRegistry registry;
    Tokens tokens;
    Api api{{.registry = registry, .tokens = tokens, .version = "1.2.3"}};
    std::shared_ptr<FakeStream> events;      // of the last request
    std::function<void()> before_piece;      // of an answer, but for the first one
    Demand demand = Demand::wanted;          // for answers
    std::set<std::string> exercised;         // operations that were answered as they say
    std::vector<std::string> disagreements;  // between answers and the document

  private:
    void hold_against_document(const HttpRequest& asked, const HttpResponse& response) {
        const Json document = openapi_document(registry, "1.2.3");
        const SchemaChecker checker(document);
        std::string method = asked.method;
        for (char& c : method) c = static_cast<char>(std::tolower(c));
        for (const auto& [path, methods] : document["paths"].items()) {
            if (!is_at(path, asked.path) || !methods.contains(method)) continue;
            const Json& operation = methods[method];
            const std::string problem = problem_with(response, operation["responses"], checker);
            if (!problem.empty()) disagree(asked, response, problem);
            if (response.status >= 300) continue;
            if (problem.empty()) exercised.insert(operation["operationId"]);
            // What was accepted must be what the document allows.
            if (!operation.contains("requestBody")) continue;
            const std::string wrong = checker.check(
                operation["requestBody"]["content"]["application/json"]["schema"], Json::parse(asked.body));
            if (!wrong.empty()) disagree(asked, response, "the body: " + wrong);
        }
    }
    /// "", or how a response differs from the answers that the document describes.
    static std::string problem_with(const HttpResponse& response, const Json& answers,
                                    const SchemaChecker& checker) {
        const std::string status = std::to_string(response.status);
        if (!answers.contains(status) && response.status < 400) return "no such status is described";
        const Json& content = (answers.contains(status) ? answers[status] : answers["default"])["content"];
        const std::string type = response.type.substr(0, response.type.find(';'));
        if (!content.contains(type)) return "no such type is described: " + type;
        if (type != "application/json") return {};
        const Json body = Json::parse(response.body, nullptr, false);
        return body.is_discarded() ? "no JSON" : checker.check(content[type]["schema"], body);
    }
    void disagree(const HttpRequest& asked, const HttpResponse& response, const std::string& why) {
        disagreements.push_back(fmt::format("{} {}: {}: {}", asked.method, asked.path, response.status, why));
    }
    static bool is_at(const std::string& pattern, const std::string& path) {
        const std::size_t place = pattern.find("{name}");
        if (place == pattern.npos) return pattern == path;
        const std::string after = pattern.substr(place + 6);
        const std::string before = pattern.substr(0, place);
        if (path.size() <= before.size() + after.size() || !path.starts_with(before) ||
            !path.ends_with(after))
            return false;
        return path.substr(before.size(), path.size() - before.size() - after.size()).find('/') == path.npos;
    }
};

}  // namespace proxstream
