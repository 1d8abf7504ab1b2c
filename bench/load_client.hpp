/// Many clients of a service in one thread. Each has a connection of its own that is kept, posts a record,
/// waits for the answer and posts the next. What comes back is checked: a 200 each, and the turns of every
/// learner 1 to as many as were posted to it, none twice.
#pragma once

#include "proxstream/core/draw.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace proxstream {

struct LoadPlan {
    std::string host = "127.0.0.1";
    std::string port = "8390";
    std::vector<std::string> learners = {"main"};
    std::size_t clients = 1000;
    std::uint64_t posts = 1'000'000;
};

struct LoadOutcome {
    double seconds = 0;
    std::vector<float> latencies = {};  // of answers that were 200, in milliseconds
    std::map<int, std::uint64_t> statuses = {};
    std::uint64_t lost_connections = 0;
    std::uint64_t doubled = 0;  // turns that two posts were given
    std::uint64_t strange = 0;  // turns beyond what was posted
    std::uint64_t missing = 0;
    std::string first_trouble = {};
};

/// -1: it cannot be reached.
inline int connect_to(const std::string& host, const std::string& port) {
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), port.c_str(), &hints, &found) != 0) return -1;
    const int place = socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const bool connected = place >= 0 && connect(place, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    if (!connected) {
        if (place >= 0) close(place);
        return -1;
    }
    const int yes = 1;
    setsockopt(place, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return place;
}

class LoadClient {
  public:
    explicit LoadClient(LoadPlan plan) : plan_(std::move(plan)), turns_(plan_.learners.size()) {
        for (std::uint64_t i = 0; i < kRecords; ++i) records_.push_back(record(i));
    }

    /// `at` is called whenever a percent of the posts has been answered.
    LoadOutcome run(const std::function<void(int)>& at) {
        connect_all();
        const auto begun = Clock::now();
        for (std::size_t i = 0; i < lines_.size(); ++i) post_next(i);
        std::array<epoll_event, 256> events{};
        int percent = 0;
        while (open_ > 0) {
            const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), 30'000);
            if (count <= 0) {
                trouble("silence for 30 s");
                break;
            }
            for (int i = 0; i < count; ++i) read(events[static_cast<std::size_t>(i)].data.u64);
            for (; percent < 100 &&
                   answered_ * 100 >= (static_cast<std::uint64_t>(percent) + 1) * plan_.posts;) {
                at(++percent);
            }
        }
        outcome_.seconds = std::chrono::duration<double>(Clock::now() - begun).count();
        for (const Line& line : lines_) {
            if (line.socket >= 0) close(line.socket);
        }
        close(epoll_);
        judge_turns();
        return std::move(outcome_);
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr std::uint64_t kRecords = 1000;

    struct Line {
        int socket = -1;
        std::size_t learner = 0;
        std::uint64_t number = 0;
        std::string in;
        Clock::time_point asked;
    };
    struct Turns {
        std::uint64_t posted = 0;
        std::vector<bool> seen;
    };

    /// A row of a linear model with noise, so that a learner has something to do.
    static std::string record(std::uint64_t i) {
        std::string text;
        double y = 0.1 * normal({5, i, 1, 0, 0});
        for (std::uint64_t j = 0; j < 10; ++j) {
            const double x = normal({5, i, 0, 0, j});
            y += x * (j % 2 == 0 ? 1.0 : -0.5);
            text += fmt::format("{}{:.6f}", j == 0 ? "" : ",", x);
        }
        return fmt::format(R"({{"x":[{}],"y":{:.6f}}})", text, y);
    }

    void connect_all() {
        epoll_ = epoll_create1(EPOLL_CLOEXEC);
        lines_.resize(plan_.clients);
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            lines_[i].socket = connect_to(plan_.host, plan_.port);
            lines_[i].learner = i % plan_.learners.size();
            if (lines_[i].socket < 0) {
                throw std::runtime_error(
                    fmt::format("{}:{}: connection {} is not taken", plan_.host, plan_.port, i));
            }
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.u64 = i;
            epoll_ctl(epoll_, EPOLL_CTL_ADD, lines_[i].socket, &event);
        }
        open_ = lines_.size();
        outcome_.latencies.reserve(plan_.posts);
    }

    void post_next(std::size_t i) {
        Line& line = lines_[i];
        if (posted_ == plan_.posts) {
            --open_;  // it stays connected, so that memory is compared with the same number of clients
            return;
        }
        ++posted_;
        ++turns_[line.learner].posted;
        const std::string body =
            fmt::format(R"({{"key":"c{}-{}","record":{}}})", i, ++line.number, records_[posted_ % kRecords]);
        const std::string request = fmt::format(
            "POST /v1/learners/{}/rounds HTTP/1.1\r\nHost: {}\r\nContent-Type: application/json\r\n"
            "Content-Length: {}\r\n\r\n{}",
            plan_.learners[line.learner], plan_.host, body.size(), body);
        line.asked = Clock::now();
        if (send(line.socket, request.data(), request.size(), MSG_NOSIGNAL) !=
            static_cast<ssize_t>(request.size())) {
            lose(line);
        }
    }

    void read(std::size_t i) {
        Line& line = lines_[i];
        if (line.socket < 0) return;
        std::array<char, 16384> bytes;
        const ssize_t size = recv(line.socket, bytes.data(), bytes.size(), MSG_DONTWAIT);
        if (size <= 0) return lose(line);
        line.in.append(bytes.data(), static_cast<std::size_t>(size));
        const std::size_t head = line.in.find("\r\n\r\n");
        if (head == std::string::npos) return;
        constexpr std::string_view kLength = "Content-Length: ";
        const std::size_t length = line.in.find(kLength);
        const std::uint64_t body = length < head ? number_at(line.in, length + kLength.size()) : 0;
        if (line.in.size() < head + 4 + body) return;
        note(line, std::string_view(line.in).substr(head + 4));
        line.in.clear();
        post_next(i);
    }

    void note(Line& line, std::string_view body) {
        ++answered_;
        const int status = static_cast<int>(number_at(line.in, line.in.find(' ') + 1));
        ++outcome_.statuses[status];
        if (status != 200) return trouble(line.in);
        outcome_.latencies.push_back(
            std::chrono::duration<float, std::milli>(Clock::now() - line.asked).count());
        constexpr std::string_view kTurn = R"("turn":)";
        const std::size_t place = body.find(kTurn);
        const std::uint64_t turn =
            place == std::string_view::npos ? 0 : number_at(body, place + kTurn.size());
        Turns& turns = turns_[line.learner];
        if (turn == 0 || turn > plan_.posts) {
            ++outcome_.strange;
            return trouble(line.in);
        }
        if (turns.seen.size() < turn) turns.seen.resize(turn);
        if (turns.seen[turn - 1]) {
            ++outcome_.doubled;
            trouble(line.in);
        }
        turns.seen[turn - 1] = true;
    }

    static std::uint64_t number_at(std::string_view text, std::size_t place) {
        std::uint64_t number = 0;
        std::from_chars(text.data() + std::min(place, text.size()), text.data() + text.size(), number);
        return number;
    }

    void lose(Line& line) {
        ++outcome_.lost_connections;
        trouble("a connection was lost");
        close(line.socket);
        line.socket = -1;
        --open_;
    }

    void judge_turns() {
        for (const Turns& turns : turns_) {
            const auto seen = static_cast<std::uint64_t>(std::ranges::count(turns.seen, true));
            outcome_.missing += turns.posted - std::min(turns.posted, seen);
            if (turns.seen.size() > turns.posted) outcome_.strange += turns.seen.size() - turns.posted;
        }
    }

    void trouble(const std::string& what) {
        if (outcome_.first_trouble.empty()) outcome_.first_trouble = what;
    }

    LoadPlan plan_;
    std::vector<std::string> records_;
    std::vector<Line> lines_;
    std::vector<Turns> turns_;
    int epoll_ = -1;
    std::size_t open_ = 0;  // that still post
    std::uint64_t posted_ = 0;
    std::uint64_t answered_ = 0;
    LoadOutcome outcome_;
};

}  // namespace proxstream
