/// The short runs of the bench: what is run, and with which files.
#pragma once

#include <string>
#include <vector>

namespace proxstream::faults {

using Command = std::vector<std::string>;  // what follows the program's name

/// What is in the folder before the command that meets the fault.
enum class Start {
    inputs,  // the input files alone
    killed,  // and what `before` left when it was killed halfway
    ended,   // and what `before` left when it ended
};

struct Scenario {
    std::string name;
    std::string store;  // the run that the command makes or continues
    Command command;    // meets the fault
    Start start = Start::inputs;
    Command before = {};
    Command options = {};   // of resume, when it completes the run
    bool completed = true;  // the command alone ends the run; a fork has to be resumed first
};

/// `folder` gets the input files of all scenarios.
void write_inputs(const std::string& folder);
std::vector<Scenario> scenarios();

}  // namespace proxstream::faults
