/// Runs the program in a folder, with a fault.
#pragma once

#include "faults/fault_page.hpp"
#include "faults/scenario.hpp"

#include <cstdint>
#include <string>

namespace proxstream::faults {

struct Fault {
    Kind kind = Kind::files;
    Mode mode = Mode::none;
    std::uint64_t at = 0;
    int error = 0;
};

/// How the program ended.
struct Ending {
    int status = 0;  // exit status; -1: a signal ended it
    int signal = 0;
    std::string said = {};   // on standard error
    bool struck = false;     // it met the fault
    std::string where = {};  // the call, and its file
    std::uint64_t calls[kKinds] = {};
};

class Launcher {
  public:
    /// `room`: a folder of its own for the page and for what the program says.
    Launcher(std::string program, std::string library, const std::string& room);
    ~Launcher();
    Launcher(const Launcher&) = delete;
    Launcher& operator=(const Launcher&) = delete;

    /// `folder` ends in '/'.
    Ending run(const Command& command, const std::string& folder, const Fault& fault = {});

  private:
    [[noreturn]] void become(const Command& command, const std::string& folder) const;

    std::string program_, library_, page_file_, error_file_;
    Page* page_ = nullptr;
};

}  // namespace proxstream::faults
