#include "harness/machine.hpp"

#include <algorithm>
#include <fstream>
#include <thread>

#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

namespace proxstream::bench {
namespace {

std::string processor() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);) {
        const std::size_t colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
    }
    return "unknown";
}

std::string instruction_set() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) return "AVX-512";
    if (__builtin_cpu_supports("avx2")) return "AVX2";
    return "SSE2";
#else
    return "as compiled";
#endif
}

/// Of what a core shares with some others, where the system's own figure is that of the whole socket.
std::size_t cache_bytes(int level) {
    for (int index = 0; index < 8; ++index) {
        const std::string folder = fmt::format("/sys/devices/system/cpu/cpu0/cache/index{}/", index);
        std::ifstream levels(folder + "level"), types(folder + "type"), sizes(folder + "size");
        int found = 0;
        std::string type, unit;
        std::size_t size = 0;
        if (levels >> found && types >> type && sizes >> size >> unit && found == level &&
            type != "Instruction") {
            return unit == "K" ? size << 10U : unit == "M" ? size << 20U : size;
        }
    }
    return 0;
}

std::string cache(int level) {
    const std::size_t bytes = cache_bytes(level);
    return bytes > 0 ? fmt::format("{} KiB", bytes / 1024) : "unknown";
}

std::string first_line(const char* path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

std::string system_name() {
    utsname names{};
    return uname(&names) == 0 ? fmt::format("{} {}", names.sysname, names.release) : "unknown";
}

}  // namespace

MachineFacts describe_machine() {
    const double memory =
        static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
    return {
        {"processor", processor()}, {"cores", std::to_string(std::thread::hardware_concurrency())},
            {"instruction set in use", instruction_set()},
            {"caches", fmt::format("L1d {}, L2 {}, L3 {}", cache(1), cache(2), cache(3))},
            {"memory", fmt::format("{:.0f} GiB", memory / (1024.0 * 1024 * 1024))}, {"system", system_name()},
#if defined(__clang__)
            {"compiler", "clang " __VERSION__},
#else
            {"compiler", "g++ " __VERSION__},
#endif
            {"flags", BENCH_FLAGS}, {"load when it began", first_line("/proc/loadavg")},
    };
}

std::size_t last_cache() {
    const std::size_t largest = std::max(cache_bytes(2), cache_bytes(3));
    return largest > 0 ? largest : std::size_t{32} << 20U;
}

}  // namespace proxstream::bench
