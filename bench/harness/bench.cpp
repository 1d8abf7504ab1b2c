#include "harness/bench.hpp"

#include <cstdio>
#include <exception>
#include <filesystem>

#include <fmt/format.h>

namespace proxstream::bench {

Wanted ratio_at_least(double bound) {
    return {.of = Wanted::Of::ratio, .at_least = true, .bound = bound};
}
Wanted figure_at_least(double bound) {
    return {.of = Wanted::Of::figure, .at_least = true, .bound = bound};
}
Wanted figure_below(double bound) {
    return {.of = Wanted::Of::figure, .at_least = false, .bound = bound};
}

std::optional<bool> met(const Row& row) {
    if (!row.wanted || !row.skipped.empty()) return std::nullopt;
    const bool of_ratio = row.wanted->of == Wanted::Of::ratio;
    if (of_ratio ? !row.ratio : !row.figure) return std::nullopt;
    if (!row.unfit.empty()) return false;
    const double value = of_ratio ? row.ratio->median : row.figure->value;
    return row.wanted->at_least ? value >= row.wanted->bound : value < row.wanted->bound;
}

Effort Bench::effort(int repeats, double seconds) const {
    if (quick()) return {.repeats = 1, .seconds = 0};
    return {.repeats = repeats, .seconds = seconds};
}

std::optional<std::string> Bench::data_file(const std::string& name) const {
    std::string path = options_.data + "/" + name;
    if (!std::filesystem::exists(path)) return std::nullopt;
    return path;
}

void Bench::group(const std::string& name, const std::function<void()>& measure) {
    if (name.find(options_.filter) == std::string::npos) return;
    std::fputs(fmt::format("bench: {} ...\n", name).c_str(), stderr);
    try {
        measure();
    } catch (const std::exception& error) {
        failures_.push_back(name + ": " + error.what());
        std::fputs(fmt::format("bench: {} failed: {}\n", name, error.what()).c_str(), stderr);
    }
}

void Bench::add(Row row) {
    rows_.push_back(std::move(row));
}

void Bench::skip(const std::string& name, const std::string& measured, const std::string& why) {
    add({.name = name, .measured = measured, .against = {}, .skipped = why});
}

void Bench::skip_data(const std::string& name, const std::string& measured, const std::string& file) {
    skip(name, measured, options_.data + "/" + file + " is not here (PROXSTREAM_DATA)");
}

}  // namespace proxstream::bench
