/// Load on a service: many clients at once post records to one learner or to several. Requests a second,
/// latencies, whether every post was played exactly once, and the memory of the server on the way.
///
///   serve_load_bench --self now|later              the transport alone, with a handler that counts
///   serve_load_bench --url HOST:PORT --pid PID     a service that runs
///   serve_load_bench --url HOST:PORT -- COMMAND..  a service that is started, and ended by SIGTERM
///   --clients 1000 --posts 1000000 --learner main | --learners N (l0, l1, ..) --json FILE
#include "load_client.hpp"
#include "serve/http_server.hpp"

#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <sys/wait.h>

namespace {

using namespace proxstream;

struct Options {
    LoadPlan plan;
    std::string self;
    pid_t server = 0;
    std::vector<char*> command;
    std::string json;
};

Options read_options(int count, char** arguments) {
    Options options;
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        if (name == "--") {
            for (++i; i < count; ++i) options.command.push_back(arguments[i]);
            break;
        }
        if (i + 1 == count) throw std::runtime_error(name + ": expected a value");
        const std::string value = arguments[++i];
        if (name == "--self") {
            options.self = value;
        } else if (name == "--url") {
            const std::size_t colon = value.rfind(':');
            options.plan.host = value.substr(0, colon);
            options.plan.port = value.substr(std::min(colon + 1, value.size()));
        } else if (name == "--pid") {
            options.server = static_cast<pid_t>(std::stol(value));
        } else if (name == "--clients") {
            options.plan.clients = std::stoul(value);
        } else if (name == "--posts") {
            options.plan.posts = std::stoull(value);
        } else if (name == "--learner") {
            options.plan.learners = {value};
        } else if (name == "--learners") {
            options.plan.learners.clear();
            for (unsigned long k = 0; k < std::stoul(value); ++k) {
                options.plan.learners.push_back(fmt::format("l{}", k));
            }
        } else if (name == "--json") {
            options.json = value;
        } else {
            throw std::runtime_error(name + ": unknown; see the head of serve_load_bench.cpp");
        }
    }
    return options;
}

/// A handler that counts, on the thread that reads requests (now) or on another (later).
class Counter {
  public:
    explicit Counter(bool later) {
        if (later) thread_ = std::thread([this] { run(); });
    }
    Counter(const Counter&) = delete;
    Counter& operator=(const Counter&) = delete;
    ~Counter() {
        if (!thread_.joinable()) return;
        {
            const std::lock_guard lock(mutex_);
            over_ = true;
        }
        wake_.notify_one();
        thread_.join();
    }

    void take(const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
        if (!thread_.joinable()) return answer(request.path, *reply);
        {
            const std::lock_guard lock(mutex_);
            waiting_.emplace_back(request.path, std::move(reply));
        }
        wake_.notify_one();
    }

  private:
    using Waiting = std::vector<std::pair<std::string, std::shared_ptr<HttpReply>>>;

    void answer(const std::string& path, HttpReply& reply) {
        reply.send({200, "application/json", fmt::format(R"({{"turn":{}}})", ++turns_[path]), {}});
    }
    void run() {
        std::unique_lock lock(mutex_);
        for (;;) {
            wake_.wait(lock, [&] { return over_ || !waiting_.empty(); });
            if (over_) return;
            Waiting taken = std::move(waiting_);
            waiting_.clear();
            lock.unlock();
            for (const auto& [path, reply] : taken) answer(path, *reply);
            taken.clear();
            lock.lock();
        }
    }

    std::map<std::string, std::uint64_t> turns_;
    std::mutex mutex_;
    std::condition_variable wake_;
    Waiting waiting_;
    bool over_ = false;
    std::thread thread_;
};

/// Serves in a process of its own until it is ended.
pid_t start_counter(LoadPlan& plan, bool later) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = fork();
    if (child == 0) {
        Counter counter(later);
        HttpServer::Options options;
        options.port = 0;
        const HttpServer server(options, [&](const HttpRequest& request, std::shared_ptr<HttpReply> reply) {
            counter.take(request, std::move(reply));
        });
        const std::uint16_t port = server.port();
        if (write(pipe[1], &port, sizeof port) != sizeof port) _exit(1);
        for (;;) pause();
    }
    std::uint16_t port = 0;
    if (read(pipe[0], &port, sizeof port) != sizeof port)
        throw std::runtime_error("the server did not start");
    plan.host = "127.0.0.1";
    plan.port = std::to_string(port);
    return child;
}

pid_t start_command(const LoadPlan& plan, std::vector<char*> command) {
    const pid_t child = fork();
    command.push_back(nullptr);
    if (child == 0) {
        execvp(command[0], command.data());
        std::perror(command[0]);
        _exit(127);
    }
    for (int i = 0; i < 600; ++i) {
        const int socket = connect_to(plan.host, plan.port);
        if (socket >= 0) {
            close(socket);
            return child;
        }
        if (waitpid(child, nullptr, WNOHANG) == child) break;
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    throw std::runtime_error("the service does not listen");
}

/// MiB; 0: not known.
double resident(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/status", process));
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("VmRSS:")) return std::stod(line.substr(6)) / 1024;
    }
    return 0;
}

/// Seconds of processor time that a process has used; 0: not known.
double processor_seconds(pid_t process) {
    std::ifstream file(fmt::format("/proc/{}/stat", process));
    std::string text;
    std::getline(file, text);
    std::size_t place = text.rfind(')');
    for (int field = 2; field < 14 && place != std::string::npos; ++field) place = text.find(' ', place + 1);
    if (place == std::string::npos) return 0;
    unsigned long user = 0;
    unsigned long system = 0;
    if (std::sscanf(text.c_str() + place, "%lu %lu", &user, &system) != 2) return 0;
    return static_cast<double>(user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

float percentile(std::vector<float>& values, double share) {
    if (values.empty()) return 0;
    const auto place =
        std::min(values.size() - 1, static_cast<std::size_t>(share * static_cast<double>(values.size())));
    std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(place), values.end());
    return values[place];
}

int report(const Options& options, LoadOutcome& outcome, const std::map<int, double>& memory,
           double processor) {
    const auto answered = static_cast<double>(outcome.latencies.size());
    const double rate = outcome.seconds > 0 ? answered / outcome.seconds : 0;
    const float p50 = percentile(outcome.latencies, 0.5);
    const float p99 = percentile(outcome.latencies, 0.99);
    const float most = percentile(outcome.latencies, 1);
    const bool whole = outcome.latencies.size() == options.plan.posts && outcome.missing == 0 &&
                       outcome.doubled == 0 && outcome.strange == 0 && outcome.lost_connections == 0;
    const auto at = [&](int percent) { return memory.contains(percent) ? memory.at(percent) : 0.0; };
    fmt::print("clients {}, learners {}, posts {}\n", options.plan.clients, options.plan.learners.size(),
               options.plan.posts);
    fmt::print("  {:.2f} s, {:.0f} requests/s, {:.1f} us of the server's processor each\n", outcome.seconds,
               rate, answered > 0 ? processor / answered * 1e6 : 0);
    fmt::print("  latency p50 {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms\n", p50, p99, most);
    fmt::print("  resident at 10 % {:.1f} MiB, 50 % {:.1f} MiB, 100 % {:.1f} MiB\n", at(10), at(50), at(100));
    for (const auto& [status, count] : outcome.statuses) fmt::print("  status {}: {}\n", status, count);
    fmt::print("  turns: {} missing, {} doubled, {} strange; connections lost: {}: {}\n", outcome.missing,
               outcome.doubled, outcome.strange, outcome.lost_connections,
               whole ? "exactly once" : "NOT SOUND");
    if (!outcome.first_trouble.empty()) fmt::print("  first trouble: {}\n", outcome.first_trouble);
    if (!options.json.empty()) {
        std::ofstream(options.json) << fmt::format(
            R"({{"clients":{},"learners":{},"posts":{},"seconds":{:.3f},"requests_per_second":{:.0f},)"
            R"("processor_us":{:.2f},"p50_ms":{:.3f},"p99_ms":{:.3f},"max_ms":{:.3f},)"
            R"("resident_mib":{{"10":{:.1f},"50":{:.1f},"100":{:.1f}}},"exactly_once":{}}})"
            "\n",
            options.plan.clients, options.plan.learners.size(), options.plan.posts, outcome.seconds, rate,
            answered > 0 ? processor / answered * 1e6 : 0, p50, p99, most, at(10), at(50), at(100), whole);
    }
    return whole ? 0 : 1;
}

int run(Options options) {
    raise_descriptors(options.plan.clients + 100);
    pid_t started = 0;
    if (!options.self.empty()) started = start_counter(options.plan, options.self == "later");
    if (!options.command.empty()) started = start_command(options.plan, options.command);
    const pid_t server = started != 0 ? started : options.server;
    std::map<int, double> memory;
    const double before = processor_seconds(server);
    LoadClient client(options.plan);
    LoadOutcome outcome = client.run([&](int percent) { memory[percent] = resident(server); });
    int status = report(options, outcome, memory, processor_seconds(server) - before);
    if (started != 0) {
        kill(started, SIGTERM);
        int end = 0;
        waitpid(started, &end, 0);
        if (!options.command.empty() && (!WIFEXITED(end) || WEXITSTATUS(end) != 0)) {
            fmt::print("  the service did not end well: {}\n", end);
            status = 1;
        }
    }
    return status;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        return run(read_options(count, arguments));
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
