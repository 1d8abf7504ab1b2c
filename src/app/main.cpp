#include "proxstream/core/error.hpp"

#include "app/exit_code.hpp"
#include "app/plugins.hpp"
#include "app/verbs.hpp"
#include "core/find_row.hpp"
#include "core/quoted_excerpt.hpp"
#include "io/standard_error.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

namespace proxstream::app {
namespace {

std::atomic<bool> g_stop{false};
std::terminate_handler g_terminate = nullptr;

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

/// A standard stream that is closed must not become the first file that the program opens.
void open_standard_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(stream, F_GETFD) >= 0) continue;
        // Reading from it, or writing to it, fails as before; messages are dropped.
        (void)open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY);
    }
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
    Verb{"predict", "predict rows with a saved model; a label is not needed", predict},
    Verb{"compare", "run several learners on one stream and print one table", compare},
    Verb{"fit", "fit a model to a whole data set; ends with a certificate of how stationary it is", fit_data},
    Verb{"compare-fit", "fit one problem with several methods at equal samples and equal seconds",
         compare_fits},
    Verb{"play", "play a game of several learners against each other; certifies a smoothed local equilibrium",
         play},
    Verb{"advise", "compute the tolerance, batch and confirmations that sampled gradients need", advise},
    Verb{"certify", "recompute the certificate of a run from its ledger or its store", certify_ledger},
    Verb{"runs", "list the run stores in a folder", list_runs},
    Verb{"show", "show a stored run, or the weights of a saved model", show_file},
    Verb{"resume", "continue a stored run, bit for bit as if it had never stopped", resume_run},
    Verb{"fork", "start a new run from the state of a stored run, with the same or other options", fork_run},
    Verb{"recover", "make a new store of what is whole in a damaged one", recover_run},
    Verb{"export",
         "write a stored run's ledger, decisions, figures or inputs as JSON lines, CSV or NumPy file",
         export_run},
    Verb{"report", "write the page of a stored run: one HTML file; the run may be active, killed or complete",
         report_run},
    Verb{"serve", "serve learners through an HTTP/JSON API, each with a live page and a store", serve},
    Verb{"study", "run an experiment over several seeds; writes tables and charts into a folder", study},
    Verb{"list", "list losses, regularisers, learners, windows, inner solvers and more", list},
};

void print_help() {
    fmt::print(
        "proxstream {}: online decisions on changing data, with a certificate for every run\n\n"
        "usage: proxstream VERB [options]      proxstream VERB --help\n\nverbs:\n",
        PROXSTREAM_VERSION);
    for (const Verb& verb : kVerbs) fmt::print("  {:<12}{}\n", verb.name, verb.help);
    fmt::print(
        "\noptions of every verb:\n"
        "  --plugin FILE.so    load your own losses and regularisers (repeatable; also "
        "PROXSTREAM_PLUGINS, "
        "colon separated)\n"
        "\n--version prints the version; --version --verbose also the compiler and the libraries in use\n"
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
        "there);\n141 the reader of standard output has closed it\n");
}

int dispatch(std::vector<std::string> arguments) {
    for (const std::string& file : plugins_of_environment()) load_plugin(file);
    for (const std::string& file : take_plugins(arguments)) load_plugin(file);
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h" || arguments[0] == "help") {
        print_help();
        return arguments.empty() ? kUsage : kOk;
    }
    if (arguments[0] == "--version" || arguments[0] == "-V") {
        fmt::print("proxstream {}\n", PROXSTREAM_VERSION);
        if (arguments.size() > 1 && arguments[1] == "--verbose") print_versions();
        return kOk;
    }
    return find_row(kVerbs, "verb", arguments[0]).run({arguments.begin() + 1, arguments.end()});
}

/// Few and short lines without control codes, whatever a file or an argument brought into the message.
int report(int code, std::string_view message) {
    constexpr int kMostLines = 50;
    constexpr std::size_t kLongestLine = 5000;
    std::string_view rest = message;
    for (int lines = 0; !rest.empty(); ++lines) {
        if (lines == kMostLines) {
            eprint("proxstream: and {} more\n", std::count(rest.begin(), rest.end(), '\n') + 1);
            break;
        }
        const auto end = std::min(rest.find('\n'), rest.size());
        const std::string quoted = quoted_excerpt(rest.substr(0, end), kLongestLine);
        eprint("proxstream: {}\n", std::string_view(quoted).substr(1, quoted.size() - 2));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return code;
}

int report(const IoError& error) {
    return error.error_number() == EPIPE ? kReaderGone : report(kIo, error.what());
}

/// Allocates nothing, which report() does.
int report_no_memory() {
    eprint("proxstream: out of memory: the window or the rows are too large for this machine\n");
    return kIo;
}

/// A lack of memory may show where no exception can leave, as in a destructor of the JSON library. A stored
/// run is then as after a kill.
[[noreturn]] void end_without_memory() noexcept {
    try {
        if (const std::exception_ptr error = std::current_exception()) std::rethrow_exception(error);
    } catch (const std::bad_alloc&) {
        std::_Exit(report_no_memory());
    } catch (...) {
        g_terminate();
    }
    std::abort();
}

int run_verb(const std::vector<std::string>& arguments) {
    try {
        return dispatch(arguments);
    } catch (const ConfigError& error) {
        return report(kUsage, error.what());
    } catch (const DataError& error) {
        return report(kData, error.what());
    } catch (const IoError& error) {
        return report(error);
    } catch (const std::bad_alloc&) {
        return report_no_memory();
    } catch (const std::system_error& error) {
        // Of {fmt}: standard output. Others are of files and folders.
        if (std::ferror(stdout) == 0) return report(kIo, error.what());
        return report(IoError("standard output", "cannot be written", error.code().value()));
    } catch (const std::exception& error) {
        return report(g_stop ? kInterrupted : kUsage, error.what());
    }
}

}  // namespace

const std::atomic<bool>* stop_requested() {
    return &g_stop;
}

int run(const std::vector<std::string>& arguments) {
    open_standard_streams();
    catch_signals();
    g_terminate = std::set_terminate(end_without_memory);
    const int code = run_verb(arguments);
    if (code == kIo || code == kReaderGone || std::fflush(stdout) == 0) return code;
    return report(IoError("standard output", "cannot be written", errno));
}

}  // namespace proxstream::app

int main(int argc, char** argv) {
    return proxstream::app::run({argv + 1, argv + argc});
}
