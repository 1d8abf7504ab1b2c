#include "proxstream/core/error.hpp"
#include "proxstream/core/parallel.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/violations.hpp"
#include "io/standard_error.hpp"
#include "run/settings_file.hpp"
#include "serve/serve_settings.hpp"
#include "serve/served_run.hpp"
#include "serve/service.hpp"

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include <fmt/format.h>
#include <signal.h>

namespace proxstream::app {
namespace {

std::atomic<bool> g_reread{false};

extern "C" void request_reread(int /*signal*/) {
    g_reread.store(true, std::memory_order_relaxed);
}

struct Plan {
    ServeSettings settings;
    std::vector<LearnerPlan> learners;
    std::optional<int> done;  // help was asked for
};

/// What the scenario says, and over it what was typed.
Plan make_plan(const std::vector<std::string>& arguments) {
    const auto parse = [&](ServeSettings& settings, bool check) {
        VerbOptions<ServeSettings> own;
        if (check) own.checks.emplace_back([&] { validate(settings); });
        return parse_command_line<ServeSettings>(
            "serve",
            "Serves learners through an HTTP/JSON API: clients get decisions and post records. Every "
            "answered "
            "record is safe\nin the learner's store. GET / is a page with all learners. See docs/serve.md.",
            arguments, settings, own);
    };
    Plan plan;
    plan.done = parse(plan.settings, false);
    if (plan.done) return plan;
    if (plan.settings.scenario.empty()) validate(plan.settings);
    const std::string file = plan.settings.scenario;
    const std::string text = read_settings_file(file);
    plan.settings = {};
    Violations violations;
    violations.collect("", [&] { read_serve_table(text, file, plan.settings); });
    violations.collect("", [&] { parse(plan.settings, true); });
    if (violations.empty())
        violations.collect("", [&] { plan.learners = read_learners(text, file, plan.settings); });
    violations.conclude();
    return plan;
}

void say(const std::vector<std::string>& lines) {
    for (const std::string& line : lines) eprint("proxstream: {}\n", line);
}

void reread(Service& service, const std::vector<std::string>& arguments) {
    try {
        const Plan plan = make_plan(arguments);
        say(service.reload(plan.settings, plan.learners));
        eprint("proxstream: settings read again\n");
    } catch (const Error& error) {
        eprint("proxstream: everything stays as it was: {}\n", error.what());
    }
}

std::string url_of(const ServeSettings& settings, std::uint16_t port) {
    const bool six = settings.listen.find(':') != std::string::npos;
    return six ? fmt::format("http://[{}]:{}", settings.listen, port)
               : fmt::format("http://{}:{}", settings.listen, port);
}

}  // namespace

int serve(const std::vector<std::string>& arguments) {
    const Plan plan = make_plan(arguments);
    if (plan.done) return *plan.done;
    struct sigaction action {};
    action.sa_handler = request_reread;
    action.sa_flags = SA_RESTART;
    sigaction(SIGHUP, &action, nullptr);
    set_threads(plan.settings.threads);

    Service service(plan.settings, plan.learners, PROXSTREAM_VERSION,
                    [](const std::string& kind, const SettingList& settings) {
                        return open_served_run(kind, settings, PROXSTREAM_VERSION);
                    });
    const std::uint16_t port = service.listen();
    eprint("listening on {}\n", url_of(plan.settings, port));
    while (!*stop_requested()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        if (g_reread.exchange(false)) reread(service, arguments);
    }
    const std::vector<std::string> problems = service.close();
    say(problems);
    return problems.empty() ? kOk : kIo;
}

}  // namespace proxstream::app
