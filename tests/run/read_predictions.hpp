/// The predictions in a file that a run has written.
#pragma once

#include "proxstream/core/types.hpp"

#include <fstream>
#include <string>
#include <vector>

namespace proxstream {

/// The column `prediction` of numbers.
inline std::vector<Real> read_predictions(const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    std::vector<Real> found;
    while (std::getline(file, line)) found.push_back(std::stod(line.substr(line.rfind(',') + 1)));
    return found;
}

}  // namespace proxstream
