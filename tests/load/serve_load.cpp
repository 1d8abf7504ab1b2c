/// Clients that load the service, for tests/cli/serve_load.sh. Its learner is called main and has two
/// features.
///
/// serve_load post PORT CLIENTS POSTS FILE: posts under keys until all are answered; FILE gets keys and
/// turns. serve_load verify PORT FILE: checks that every post of FILE is stored once, under its turn.
/// serve_load read PORT READERS: asks for long histories, does not read them, and at last reads some.
/// serve_load leave PORT READERS: asks for long histories and goes.
/// serve_load health PORT BODIES: times /health while large bodies are checked.
#include "core/json.hpp"
#include "serve/http_client.hpp"

#include <algorithm>
#include <atomic>
#include <fstream>
#include <future>
#include <iostream>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

using testing::Answer;
using testing::RawClient;
using testing::StopWatch;
using Json = nlohmann::json;

constexpr auto kMain = "/v1/learners/main";
constexpr double kPatience = 300;                       // seconds; then it gives up
constexpr auto kPause = std::chrono::milliseconds(20);  // before the service is tried again

void say(const std::string& line) {
    static std::mutex mutex;
    const std::lock_guard lock(mutex);
    std::cout << line << std::endl;  // at once: a script waits for it
}

std::string request(const char* method, const std::string& path, const std::string& body = {}) {
    return fmt::format(
        "{} {} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Content-Length: {}\r\n\r\n{}",
        method, path, body.size(), body);
}

/// Posts of many clients, each with one post on its way. Prints "acknowledged N" for every N per cent, and
/// "refused" for every answer 503.
class Posting {
  public:
    Posting(std::uint16_t port, std::size_t clients, std::size_t posts)
        : port_(port), clients_(clients), posts_(posts), turns_(clients * posts) {}

    void run() {
        constexpr std::size_t kThreads = 8;
        std::vector<std::future<void>> threads;
        for (std::size_t i = 0; i < kThreads; ++i)
            threads.push_back(std::async(std::launch::async, [this, i] {
                post(clients_ * i / kThreads, clients_ * (i + 1) / kThreads);
            }));
        for (auto& thread : threads) thread.get();
    }
    void write(const std::string& path) const {
        std::ofstream file(path);
        for (std::size_t client = 0; client < clients_; ++client)
            for (std::size_t post = 0; post < posts_; ++post)
                file << key(client, post) << ' ' << turns_[client * posts_ + post] << '\n';
    }
    std::uint64_t repeated() const { return repeated_; }

  private:
    static std::string key(std::size_t client, std::size_t post) {
        return fmt::format("c{}-{}", client, post);
    }
    void post(std::size_t first, std::size_t end) {
        std::vector<std::unique_ptr<RawClient>> connections(end - first);
        for (std::size_t post = 0; post < posts_; ++post) {
            std::vector<std::size_t> waiting;
            for (std::size_t client = first; client < end; ++client) waiting.push_back(client);
            StopWatch unanswered;
            while (!waiting.empty()) {
                for (const std::size_t client : waiting) send(connections[client - first], client, post);
                std::erase_if(waiting, [&](std::size_t client) {
                    return is_answered(connections[client - first], client, post);
                });
                if (waiting.empty()) continue;
                if (unanswered.seconds() > kPatience) throw std::runtime_error("posts are not answered");
                repeated_ += waiting.size();
                std::this_thread::sleep_for(kPause);
            }
        }
    }
    void send(std::unique_ptr<RawClient>& connection, std::size_t client, std::size_t post) const {
        if (!connection) connection = std::make_unique<RawClient>(port_);
        const std::string body = fmt::format(R"({{"record":{{"x":[{},{}],"y":{}}},"key":"{}"}})",
                                             static_cast<double>(client % 7) / 8,
                                             static_cast<double>(post % 5) / 8, post % 3, key(client, post));
        if (!connection->connected() ||
            !connection->send(request("POST", std::string(kMain) + "/rounds", body)))
            connection.reset();
    }
    bool is_answered(std::unique_ptr<RawClient>& connection, std::size_t client, std::size_t post) {
        if (!connection) return false;
        const Answer answer = connection->answer();
        if (answer.status == 503) say("refused");
        if (answer.status == 0 || answer.status == 503) {
            connection.reset();
            return false;
        }
        constexpr std::string_view kTurn = R"({"turn":)";
        if (answer.status != 200 || !answer.body.starts_with(kTurn))
            throw std::runtime_error(fmt::format("status {}: {}", answer.status, answer.body));
        turns_[client * posts_ + post] = std::stoull(answer.body.substr(kTurn.size()));
        const std::uint64_t count = ++answered_;
        const std::uint64_t all = turns_.size();
        if (count * 100 / all > (count - 1) * 100 / all)
            say(fmt::format("acknowledged {}", count * 100 / all));
        return true;
    }

    const std::uint16_t port_;
    const std::size_t clients_;
    const std::size_t posts_;
    std::vector<std::uint64_t> turns_;
    std::atomic<std::uint64_t> answered_ = 0;
    std::atomic<std::uint64_t> repeated_ = 0;
};

void post(std::uint16_t port, std::size_t clients, std::size_t posts, const std::string& file) {
    const StopWatch watch;
    Posting posting(port, clients, posts);
    posting.run();
    const double seconds = watch.seconds();
    posting.write(file);
    say(fmt::format("{} posts of {} clients in {:.1f} s, {} of them repeated", clients * posts, clients,
                    seconds, posting.repeated()));
}

/// One page of stored turns; its turns are without a gap.
Json turns_from(RawClient& client, std::uint64_t first) {
    client.send(request("GET", fmt::format("{}/turns?first={}&limit=10000", kMain, first)));
    const Answer answer = client.whole_answer();
    if (answer.status != 200) throw std::runtime_error(fmt::format("turns: status {}", answer.status));
    Json page = Json::parse(answer.body);
    for (const Json& turn : page["turns"])
        if (turn["turn"] != first++) throw std::runtime_error(fmt::format("turn {} is missing", first - 1));
    return page;
}

void verify(std::uint16_t port, const std::string& file) {
    std::unordered_map<std::string, std::uint64_t> acknowledged;
    std::ifstream lines(file);
    std::string key;
    std::uint64_t turn = 0;
    while (lines >> key >> turn) acknowledged[key] = turn;
    const std::size_t posts = acknowledged.size();
    RawClient client(port);
    std::uint64_t stored = 0;
    for (Json next = 1; !next.is_null();) {
        const Json page = turns_from(client, next);
        for (const Json& each : page["turns"]) {
            ++stored;
            const auto found = acknowledged.find(each["key"]);
            if (found == acknowledged.end() || found->second != each["turn"])
                throw std::runtime_error(fmt::format("turn {} with key {} was not acknowledged, or twice",
                                                     each["turn"].dump(), each["key"].dump()));
            acknowledged.erase(found);
        }
        next = page["next"];
    }
    if (!acknowledged.empty())
        throw std::runtime_error(fmt::format("{} posts are lost, {} among them", acknowledged.size(),
                                             acknowledged.begin()->first));
    say(fmt::format("{} posts acknowledged, {} turns stored, each once", posts, stored));
}

std::vector<RawClient> readers_of(std::uint16_t port, std::size_t readers) {
    constexpr int kSmallBuffer = 4096;
    std::vector<RawClient> clients;
    for (std::size_t i = 0; i < readers; ++i) {
        clients.emplace_back(port, "127.0.0.1", kSmallBuffer);
        clients.back().send(request("GET", std::string(kMain) + "/turns?limit=10000"));
    }
    return clients;
}

void read(std::uint16_t port, std::size_t readers) {
    std::vector<RawClient> clients = readers_of(port, readers);
    std::size_t refused = 0;
    for (RawClient& client : clients) {
        if (!client.read_until("\r\n", 60)) throw std::runtime_error("a reader got no answer");
        refused += client.read().starts_with("HTTP/1.1 503") ? 1 : 0;
    }
    say(fmt::format("{} readers wait, {} refused", readers - refused, refused));
    std::string line;
    std::getline(std::cin, line);  // the script has measured
    for (std::size_t i = 0; i < clients.size(); i += std::max<std::size_t>(clients.size() / 10, 1)) {
        if (clients[i].read().starts_with("HTTP/1.1 503")) continue;
        const Json page = Json::parse(clients[i].whole_answer().body);
        for (std::size_t turn = 0; turn < page["turns"].size(); ++turn)
            if (page["turns"][turn]["turn"] != turn + 1) throw std::runtime_error("a turn is missing");
    }
    say("those read to the end have each turn once");
}

void health(std::uint16_t port, std::size_t bodies) {
    constexpr int kMembers = 85'000;
    std::string body = R"({"record":{"a":1)";
    for (int i = 0; i < kMembers; ++i) body += fmt::format(",\"{:05}\":1", i);
    body += "}}";
    const auto status_of = [&](RawClient& client, const std::string& text) {
        client.send(text);
        while (client.read().empty() && client.read_more(60)) continue;
        return client.answer().status;
    };
    std::vector<std::future<int>> posts;
    for (std::size_t i = 0; i < bodies; ++i) {
        posts.push_back(std::async(std::launch::async, [&] {
            RawClient client(port);
            return status_of(client, request("POST", std::string(kMain) + "/rounds", body));
        }));
    }
    const auto is_ready = [](std::future<int>& post) {
        return post.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
    };
    // Every millisecond, so that a long wait counts for all the requests that it delays.
    using Clock = std::chrono::steady_clock;
    std::vector<double> times;
    RawClient client(port);
    bool healthy = true;
    for (auto due = Clock::now(); times.empty() || !std::ranges::all_of(posts, is_ready);
         due += std::chrono::milliseconds(1)) {
        std::this_thread::sleep_until(due);
        healthy = status_of(client, request("GET", "/health")) == 200 && healthy;
        times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - due).count());
    }
    std::ranges::sort(times);
    const auto at = [&](double part) {
        return times[static_cast<std::size_t>(part * static_cast<double>(times.size() - 1))];
    };
    say(fmt::format(
        "{} bodies of {} bytes: {} answers of /health, p50 {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms", bodies,
        body.size(), times.size(), at(0.5), at(0.99), times.back()));
    for (auto& post : posts)
        if (const int status = post.get(); status != 400)
            throw std::runtime_error(fmt::format("a body was answered {}", status));
    if (!healthy) throw std::runtime_error("/health failed");
}

int run(const std::vector<std::string>& arguments) {
    const std::string& what = arguments.at(0);
    const auto port = static_cast<std::uint16_t>(std::stoul(arguments.at(1)));
    const auto number = [&](std::size_t i) { return std::stoull(arguments.at(i)); };
    raise_descriptors(65536);
    if (what == "post") {
        post(port, number(2), number(3), arguments.at(4));
    } else if (what == "verify") {
        verify(port, arguments.at(2));
    } else if (what == "read") {
        read(port, number(2));
    } else if (what == "leave") {
        readers_of(port, number(2));
    } else if (what == "health") {
        health(port, number(2));
    } else {
        throw std::runtime_error("what is " + what + "?");
    }
    return 0;
}

}  // namespace
}  // namespace proxstream

int main(int argc, char** argv) {
    try {
        return proxstream::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::cout << "failed: " << error.what() << std::endl;
        return 1;
    }
}
