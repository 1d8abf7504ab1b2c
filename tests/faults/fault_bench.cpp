/// Runs the program again and again with a fault at its k-th system call or allocation. After each fault,
/// `resume` has to reach the store and the files of a run without faults.
///   fault_bench PROGRAM [SCENARIO [MODE [K]]]
/// A few values of k for each scenario and mode; all of them with PROXSTREAM_LONG.
#include "proxstream/core/error.hpp"

#include "faults/launch.hpp"
#include "faults/snapshot.hpp"
#include "io/output_file.hpp"
#include "store/run_store.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proxstream::faults {
namespace {

struct Method {
    const char* name;
    Kind kind;
    Mode mode;
    int error;
};

constexpr Method kMethods[] = {
    {"killed", Kind::files, Mode::kill_before, 0},
    {"torn write", Kind::writes, Mode::torn, 0},
    {"short write", Kind::writes, Mode::brief, 0},
    {"error", Kind::files, Mode::fail, EIO},
    {"full disk", Kind::files, Mode::fail_onward, ENOSPC},
    {"out of memory", Kind::memory, Mode::fail, ENOMEM},
    {"no memory any more", Kind::memory, Mode::fail_onward, ENOMEM},
};

/// Points of a method and a scenario in the short form, and the most allocations in the long one.
constexpr std::uint64_t kShort = 7;
constexpr std::uint64_t kLongMemory = 2000;

constexpr int kIoStatus = 5;
/// Of the injector, if the system does not let it trap calls.
constexpr int kNoTrapStatus = 99;

struct Bench {
    std::string program, injector, root;
    bool all = std::getenv("PROXSTREAM_LONG") != nullptr;
    int workers = 2;
    std::optional<std::uint64_t> only = {};
};

/// One worker's folders: `run/` is the folder of the run, `start/` what it has at the beginning.
class Worker {
  public:
    Worker(const Bench& bench, int number)
        : room_(fmt::format("{}{}/", bench.root, number)),
          launcher_((std::filesystem::create_directories(room_), bench.program), bench.injector, room_) {}

    Ending launch(const Command& command, const Fault& fault = {}) {
        return launcher_.run(command, folder(), fault);
    }
    std::string folder() const { return room_ + "run/"; }
    /// Makes the folder as it is before the command.
    void prepare(const Scenario& scenario);
    void reset() const { copy("start", "run"); }
    /// Runs the command, and resume if the run is not complete. Returns the problem, or "".
    std::string complete(const Scenario& scenario, bool begun, bool quiet);
    /// Returns what is wrong after the fault, or "".
    std::string judge(const Scenario& scenario, const Method& method, const Ending& ending,
                      const Snapshot& expected, bool quiet);

  private:
    void copy(const char* from, const char* to) const {
        std::filesystem::remove_all(room_ + to);
        std::filesystem::copy(room_ + from, room_ + to, std::filesystem::copy_options::recursive);
    }
    std::string store(const Scenario& scenario) const { return folder() + scenario.store; }

    std::string room_;
    Launcher launcher_;
};

std::string problem_of(const Command& command, const Ending& ending) {
    if (ending.status == 0) return {};
    return fmt::format("{} {}: {} {}: {}", command[0], command[1], ending.signal == 0 ? "status" : "signal",
                       ending.signal == 0 ? ending.status : ending.signal,
                       ending.said.substr(0, ending.said.find('\n')));
}

void Worker::prepare(const Scenario& scenario) {
    std::filesystem::remove_all(folder());
    std::filesystem::create_directories(folder());
    write_inputs(folder());
    if (scenario.start == Start::killed) {
        copy("run", "start");
        const std::uint64_t calls = launch(scenario.before).calls[static_cast<int>(Kind::files)];
        reset();
        launch(scenario.before, {Kind::files, Mode::kill_before, calls * 6 / 10, 0});
    } else if (scenario.start == Start::ended) {
        const std::string problem = problem_of(scenario.before, launch(scenario.before));
        if (!problem.empty()) throw Error(problem);
    }
    copy("run", "start");
}

std::string Worker::complete(const Scenario& scenario, bool begun, bool quiet) {
    if (!begun || !has_run(store(scenario))) {
        std::string problem = problem_of(scenario.command, launch(scenario.command));
        if (!problem.empty() || scenario.completed) return problem;
    }
    // An ended run is completed with options or without.
    Command resume = {"resume", scenario.store};
    if (quiet) resume.insert(resume.end(), {"--quiet", "--threads", "1"});
    resume.insert(resume.end(), scenario.options.begin(), scenario.options.end());
    return problem_of(resume, launch(resume));
}

std::string Worker::judge(const Scenario& scenario, const Method& method, const Ending& ending,
                          const Snapshot& expected, bool quiet) {
    const bool killed = method.mode == Mode::kill_before || method.mode == Mode::torn;
    if (!ending.struck) return {};
    if (killed && ending.signal != SIGKILL) return "it was not killed";
    if (!killed && ending.signal != 0)
        return fmt::format("crashed with signal {}: {}", ending.signal, ending.said.substr(0, 150));
    if (!killed && ending.status != 0 && ending.status != kIoStatus)
        return problem_of(scenario.command, ending);
    if (!killed && ending.status != 0 && ending.said.empty()) return "ended without a message";
    if (method.mode == Mode::brief && ending.status != 0) return problem_of(scenario.command, ending);
    const Snapshot left = snapshot(folder());
    if (std::string problem = half_written(left); !problem.empty()) return "at once: " + problem;
    const bool whole = ending.status == 0;
    if (!whole || !scenario.completed) {
        if (std::string problem = complete(scenario, true, quiet); !problem.empty()) return problem;
    }
    std::string problem = difference(expected, snapshot(folder()));
    return problem.empty() || !whole ? problem : "status 0, but " + problem;
}

std::vector<std::uint64_t> points(const Bench& bench, const Method& method, std::uint64_t calls) {
    if (bench.only) return {*bench.only};
    std::uint64_t most = bench.all ? calls : kShort;
    if (bench.all && method.kind == Kind::memory) most = kLongMemory;
    most = std::min(most, calls);
    std::vector<std::uint64_t> chosen;
    for (std::uint64_t i = 0; i < most; ++i) chosen.push_back(1 + (2 * i + 1) * calls / (2 * most));
    return chosen;
}

struct Report {
    std::uint64_t points = 0;
    std::vector<std::string> failures = {};
    double seconds = 0;
};

std::string one_line(std::string text) {
    std::replace(text.begin(), text.end(), '\n', ' ');
    return text;
}

/// The points of one worker; a line a failure.
void work(const Bench& bench, int number, const Scenario& scenario, const Method& method,
          const std::vector<std::uint64_t>& chosen, const Snapshot& expected) {
    Worker worker(bench, number);
    worker.prepare(scenario);
    std::ofstream failures(fmt::format("{}failures-{}", bench.root, number));
    for (std::size_t i = static_cast<std::size_t>(number); i < chosen.size();
         i += static_cast<std::size_t>(bench.workers)) {
        worker.reset();
        const Ending ending =
            worker.launch(scenario.command, {method.kind, method.mode, chosen[i], method.error});
        const std::string problem = worker.judge(scenario, method, ending, expected, chosen[i] % 2 == 0);
        if (!problem.empty())
            failures << one_line(
                            fmt::format("{} at {} ({}): {}", method.name, chosen[i], ending.where, problem))
                     << std::endl;
    }
}

Report try_points(const Bench& bench, const Scenario& scenario, const Method& method,
                  const std::vector<std::uint64_t>& chosen, const Snapshot& expected) {
    const auto began = std::chrono::steady_clock::now();
    std::vector<pid_t> children;
    for (int number = 0; number < bench.workers; ++number) {
        const pid_t child = ::fork();
        if (child == 0) {
            try {
                work(bench, number, scenario, method, chosen, expected);
            } catch (const std::exception& error) {
                fmt::print(stderr, "{}\n", error.what());
                ::_exit(1);
            }
            ::_exit(0);
        }
        children.push_back(child);
    }
    Report report{.points = chosen.size()};
    for (int number = 0; number < bench.workers; ++number) {
        int status = 0;
        ::waitpid(children[static_cast<std::size_t>(number)], &status, 0);
        if (status != 0) report.failures.emplace_back("the bench itself failed");
        std::ifstream lines(fmt::format("{}failures-{}", bench.root, number));
        for (std::string line; std::getline(lines, line);) report.failures.push_back(line);
    }
    report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    return report;
}

bool print(const Scenario& scenario, const Method& method, std::uint64_t calls, const Report& report) {
    constexpr std::size_t kShown = 20;
    const bool good = report.failures.empty();
    fmt::print("{} faults: {}, {}: {} of {} points tried, {} with equal bits, {:.1f} s\n",
               good ? "ok" : "not ok", scenario.name, method.name, report.points, calls,
               report.points - report.failures.size(), report.seconds);
    for (std::size_t i = 0; i < std::min(kShown, report.failures.size()); ++i)
        fmt::print("# {}\n", report.failures[i]);
    std::fflush(stdout);
    return good;
}

bool try_scenario(const Bench& bench, const Scenario& scenario, const std::string& mode) {
    Worker worker(bench, bench.workers);
    worker.prepare(scenario);
    const Ending counted = worker.launch(scenario.command);
    if (std::string problem = problem_of(scenario.command, counted); !problem.empty()) {
        fmt::print("not ok faults: {}: {}\n", scenario.name, problem);
        return false;
    }
    if (!scenario.completed) worker.complete(scenario, true, true);
    const Snapshot expected = snapshot(worker.folder());
    bool good = true;
    for (const Method& method : kMethods) {
        if (!mode.empty() && mode != method.name) continue;
        const std::uint64_t calls = counted.calls[static_cast<int>(method.kind)];
        const Report report = try_points(bench, scenario, method, points(bench, method, calls), expected);
        good = print(scenario, method, calls, report) && good;
    }
    return good;
}

int run(const std::vector<std::string>& arguments) {
    Bench bench;
    bench.program = std::filesystem::canonical(arguments.at(1)).string();
    bench.injector = (std::filesystem::canonical("/proc/self/exe").parent_path() / "libinject.so").string();
    // Memory where there is some: a disk would be asked to synchronise thousands of times.
    const char* place = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    bench.root = fmt::format("{}/proxstream-faults-{}/", place, ::getpid());
    if (arguments.size() > 4) bench.only = std::stoull(arguments[4]);
    std::filesystem::create_directories(bench.root);
    if (Launcher(bench.program, bench.injector, bench.root).run({"--version"}, bench.root).status ==
        kNoTrapStatus) {
        fmt::print("skip faults: the system does not let a program trap its own calls (seccomp)\n");
        std::filesystem::remove_all(bench.root);
        return 0;
    }
    bool good = true;
    for (const Scenario& scenario : scenarios()) {
        if (arguments.size() > 2 && arguments[2] != scenario.name && arguments[2] != "all") continue;
        good = try_scenario(bench, scenario, arguments.size() > 3 ? arguments[3] : "") && good;
    }
    std::filesystem::remove_all(bench.root);
    return good ? 0 : 1;
}

}  // namespace
}  // namespace proxstream::faults

int main(int argc, char** argv) {
    try {
        return proxstream::faults::run({argv, argv + argc});
    } catch (const std::exception& error) {
        fmt::print("not ok faults: {}\n", error.what());
        return 1;
    }
}
