#include "app/drive_run.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "io/standard_error.hpp"

namespace proxstream::app {

RunOrigin origin_of(const std::string& verb, const std::vector<std::string>& arguments) {
    return {.version = PROXSTREAM_VERSION, .command = command_again(verb, arguments)};
}

int end_run(const RunOutcome& outcome, const std::string& store) {
    if (!store.empty() && (!outcome.io_error || outcome.reader_gone)) {
        eprint("\nkept in {}{}\n", store,
               outcome.ending == RunEnding::finished
                   ? ""
                   : fmt::format("; 'proxstream resume {}' continues it", store));
    }
    for (const std::string& problem : outcome.problems) eprint("proxstream: {}\n", problem);
    if (outcome.reader_gone) return kReaderGone;
    if (outcome.io_error) return kIo;
    if (outcome.data_error) return kData;
    if (outcome.refused > 0) return kNumerics;
    if (outcome.ending == RunEnding::interrupted) return kInterrupted;
    return outcome.sound ? kOk : kNotCertified;
}

}  // namespace proxstream::app
