#include "app/drive_run.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "io/output_file.hpp"
#include "io/standard_error.hpp"

#include <algorithm>
#include <iterator>

namespace proxstream::app {

RunOrigin origin_of(const std::string& verb, const std::vector<std::string>& arguments) {
    return {.version = PROXSTREAM_VERSION, .command = command_again(verb, arguments)};
}

void print_files(const std::string& store, const std::vector<std::string>& outputs) {
    std::vector<std::string> files;
    std::copy_if(outputs.begin(), outputs.end(), std::back_inserter(files), is_regular_file);
    eprint("proxstream: {}: the run had come to its end; {}\n", store,
           files.empty() ? "it has no files" : fmt::format("written again: {}", fmt::join(files, ", ")));
}

void print_lost(const Journal& journal) {
    for (const std::string& each : journal.lost_outputs()) {
        eprint("proxstream: {}; {}\n", each,
               journal.can_replay()
                   ? fmt::format("the run is played again from turn {} to write it", journal.played() + 1)
                   : "a run with a time limit cannot be played again, so the file begins anew");
    }
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
