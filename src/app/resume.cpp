#include "proxstream/core/error.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "core/find_row.hpp"
#include "io/standard_error.hpp"
#include "store/run_store.hpp"

#include <array>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

struct Resumption {
    std::string_view name;
    int (*run)(const std::string& path, const std::vector<std::string>& arguments);
};

constexpr std::array kResumptions{
    Resumption{"learn", resume_learn},
    Resumption{"route", resume_route},
    Resumption{"play", resume_play},
    Resumption{"fit", resume_fit},
};

}  // namespace

int resume_run(const std::vector<std::string>& arguments) {
    if (arguments.empty() || arguments[0] == "--help" || arguments[0] == "-h") {
        fmt::print(
            "Continues a stored run, bit for bit as if it had never stopped.\n"
            "usage: proxstream resume RUN [options]      proxstream resume RUN --help: options of that "
            "run\n");
        return arguments.empty() ? kUsage : kOk;
    }
    const std::string& path = arguments[0];
    const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    const RunStore store(path);
    if (store.complete() && rest.empty()) {
        eprint(
            "proxstream: {}: the run has come to its end at turn {}, and its files are there; show, certify, "
            "report and export read it, and options such as --rounds may take it further\n",
            path, store.state().last);
        return kOk;
    }
    return find_row(kResumptions, "kind of run", store.identity().kind).run(path, rest);
}

}  // namespace proxstream::app
