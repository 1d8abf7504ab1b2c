/// What the program's exit status says; documented in `proxstream --help`.
#pragma once

namespace proxstream::app {

enum ExitCode : int {
    kOk = 0,
    kNotCertified = 1,  // an inequality is violated, a ledger does not verify, or a finding does not hold
    kUsage = 2,         // options or settings
    kData = 3,          // the input
    kNumerics = 4,      // a loss was NaN or infinite and its round was refused
    kIo = 5,            // a file could not be opened or written
    kInterrupted = 130,
    kReaderGone = 141,  // the reader of standard output has closed it
};

}  // namespace proxstream::app
