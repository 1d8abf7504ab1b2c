/// Real data for benchmarks: where it is, or a visible skip.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>

/// The path of a file under $PROXSTREAM_DATA; "" after telling the benchmark to skip when it is not there.
inline std::string data_file(const std::string& name, benchmark::State& state) {
    const char* folder = std::getenv("PROXSTREAM_DATA");
    std::string path = std::string(folder != nullptr ? folder : "../shared/data") + "/" + name;
    if (std::filesystem::exists(path)) return path;
    state.SkipWithError((path + " is not here (PROXSTREAM_DATA)").c_str());
    return {};
}
