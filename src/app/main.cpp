#include "proxstream/core/error.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/find_row.hpp"

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <signal.h>

namespace proxstream::app {
namespace {

std::atomic<bool> g_stop{false};

extern "C" void request_stop(int /*signal*/) {
    g_stop.store(true, std::memory_order_relaxed);
}

void catch_signals() {
    struct sigaction action {};
    action.sa_handler = request_stop;
    action.sa_flags = static_cast<int>(SA_RESETHAND);  // a second signal ends the program at once
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    // A closed pipe is an error of that output, not the end of the program.
    struct sigaction ignore {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, nullptr);
}

struct Verb {
    std::string_view name;
    std::string_view help;
    int (*run)(const std::vector<std::string>& arguments);
};

constexpr std::array kVerbs{
    Verb{"route",
         "split traffic over the paths of a network as demand changes, with rivals, map and certificate",
         route},
    Verb{"assign", "assign one demand matrix: system optimum or user equilibrium over all paths",
         assign_demand},
    Verb{"learn", "learn from a stream of rows; ends with a certificate of what was proved on the run",
         learn},
    Verb{"compare", "run several learners on one stream and print one table", compare},
    Verb{"fit", "fit a model to a whole data set; ends with a certificate of how stationary it is", fit_data},
    Verb{"compare-fit", "fit one problem with several methods at equal samples and equal seconds",
         compare_fits},
    Verb{"play", "play a game of several learners against each other; certifies a smoothed local equilibrium",
         play},
    Verb{"advise",
         "say which tolerance, batch and confirmations sampled gradients need, and what they promise",
         advise},
    Verb{"certify", "recompute the certificate of a stored run from its ledger alone", certify_ledger},
    Verb{"runs", "list the run stores in a folder", list_runs},
    Verb{"show", "show what a run store says of its run", show_run},
    Verb{"resume", "go on with a run where its store ends, bit for bit as if it had never stopped",
         resume_run},
    Verb{"fork", "begin a run of its own where another one stands, perhaps with other options", fork_run},
    Verb{"export",
         "write a stored run's ledger, decisions, figures or inputs as JSON lines, CSV or NumPy file",
         export_run},
    Verb{"report", "write the page of a stored run: one HTML file, whether it goes on, was killed or is over",
         report_run},
    Verb{"serve", "host learners behind an HTTP/JSON API, with a live page and a store each", serve},
    Verb{"study", "run an experiment over several seeds; writes tables and charts into a folder", study},
    Verb{"list", "show the losses, regularisers, learners and inner solvers there are", list},
};

void print_help() {
    fmt::print(
        "proxstream {}: keeps decisions near-stationary while the world changes, and proves it\n\n"
        "usage: proxstream VERB [options]      proxstream VERB --help\n\nverbs:\n",
        PROXSTREAM_VERSION);
    for (const Verb& verb : kVerbs) fmt::print("  {:<12}{}\n", verb.name, verb.help);
    fmt::print(
        "\nexamples:\n"
        "  proxstream route builtin:ring --report report.html\n"
        "  proxstream route network.tntp demand.jsonl --objective delay --window 64 --out week\n"
        "  proxstream assign net.tntp trips.tntp --objective user --gap 1e-8\n"
        "  proxstream learn data.csv --label y --loss cauchy --reg l1:0.01 -f model.json\n"
        "  zcat rows.libsvm.gz | proxstream learn --format libsvm --dimension 123 --loss logistic\n"
        "  proxstream compare builtin:drift --loss cauchy --reg l1:0.02\n"
        "  proxstream learn data.csv --label y --ledger run.jsonl && proxstream certify run.jsonl\n"
        "  proxstream fit rows.libsvm.gz --loss squared-sigmoid --reg l1:0.001 --epsilon 1e-6 -f model.json\n"
        "\nexit status: 0 done; 1 certificate or ledger does not hold; 2 usage; 3 bad data; 4 a loss was NaN "
        "or\n"
        "infinite; 5 a file could not be read or written; 130 interrupted (footer, certificate and model are "
        "there)\n");
}

int dispatch(const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print_help();
        return arguments.empty() ? kUsage : kOk;
    }
    if (arguments[0] == "--version" || arguments[0] == "-V") {
        fmt::print("proxstream {}\n", PROXSTREAM_VERSION);
        return kOk;
    }
    return find_row(kVerbs, "verb", arguments[0]).run({arguments.begin() + 1, arguments.end()});
}

int report(int code, std::string_view message) {
    std::string_view rest = message;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size());
        fmt::print(stderr, "proxstream: {}\n", rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return code;
}

}  // namespace

const std::atomic<bool>* stop_requested() {
    return &g_stop;
}

int run(const std::vector<std::string>& arguments) {
    catch_signals();
    try {
        return dispatch(arguments);
    } catch (const ConfigError& error) {
        return report(kUsage, error.what());
    } catch (const DataError& error) {
        return report(kData, error.what());
    } catch (const IoError& error) {
        return report(kIo, error.what());
    } catch (const std::bad_alloc&) {
        return report(kIo, "out of memory: the window or the rows are too large for this machine");
    } catch (const std::exception& error) {
        return report(g_stop ? kInterrupted : kUsage, error.what());
    }
}

}  // namespace proxstream::app

int main(int argc, char** argv) {
    return proxstream::app::run({argv + 1, argv + argc});
}
