#include "store/recover.hpp"

#include "proxstream/core/error.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"
#include "io/standard_error.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream::app {

int recover_run(const std::vector<std::string>& arguments) {
    bool replay = false;
    std::vector<std::string> paths;
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print(
                "Makes a new run store of what is whole in a damaged one: the newest saved state, and the\n"
                "turns around it. Says what is gone. 'proxstream resume OUT' continues the run; turns that\n"
                "are missing at the end are played again from the data. RUN is not changed.\n"
                "usage: proxstream recover RUN OUT [--replay]\n"
                "  --replay  keep no state, so that resume plays the run from its first turn; this takes as\n"
                "            long as the run did, and brings back all turns and ledger rows\n"
                "exit status: 0 OUT was written, or RUN is whole; 2 usage; 3 nothing could be recovered;\n"
                "5 a file could not be read or written\n");
            return kOk;
        }
        if (argument == "--replay") {
            replay = true;
        } else if (argument.size() > 1 && argument.starts_with('-')) {
            throw ConfigError("unknown option '" + argument + "'; recover knows --replay and --help");
        } else {
            paths.push_back(argument);
        }
    }
    if (paths.size() != 2)
        throw ConfigError("recover: expected RUN and OUT, see 'proxstream recover --help'");
    const Recovery done =
        recover_store(paths[0], paths[1], {.replay = replay, .version = PROXSTREAM_VERSION});
    if (done.damage.empty()) {
        fmt::print("{}: the store is whole; {} was not written\n", paths[0], paths[1]);
        return kOk;
    }
    eprint("{}: {}\n", paths[0], done.damage);
    for (const std::string& part : done.kept) fmt::print("kept:    {}\n", part);
    std::fflush(stdout);
    for (const std::string& part : done.gone) eprint("gone:    {}\n", part);
    if (done.gone.empty()) eprint("gone:    nothing\n");
    fmt::print("'proxstream resume {}' continues the run\n", paths[1]);
    if (done.given_up && !replay)
        fmt::print(
            "'proxstream recover {} OTHER --replay' brings back what is gone, if the data can be read "
            "again\n",
            paths[0]);
    return kOk;
}

}  // namespace proxstream::app
