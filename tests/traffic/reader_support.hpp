/// Texts in memory as inputs, errors as text, and the folder of real data.
#pragma once

#include "proxstream/traffic/open_network.hpp"

#include "traffic/demand_stream.hpp"

#include <cstdlib>
#include <string>
#include <vector>

namespace proxstream::test {

inline NetworkFile network_of(const std::string& text, const NetworkOptions& options = {}) {
    return read_network(memory_input("net", text), options);
}

/// What the DataError says; empty if there is none.
template <class Body>
std::string data_error_of(Body body) {
    try {
        body();
    } catch (const DataError& error) {
        return error.what();
    }
    return {};
}

inline std::string joined(const std::vector<std::string>& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
}

inline std::string data_path(const std::string& path) {
    const char* folder = std::getenv("PROXSTREAM_DATA");
    return std::string(folder != nullptr ? folder : "../shared/data") + "/" + path;
}

}  // namespace proxstream::test
