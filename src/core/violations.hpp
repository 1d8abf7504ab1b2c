/// Collects everything that is wrong with a set of values, so that one error names all of it.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {

class Violations {
  public:
    /// Adds the message unless `holds`.
    template <class... Args>
    void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
        if (!holds) all_.push_back(fmt::format(message, std::forward<Args>(args)...));
    }
    /// Adds the text if `wrong`.
    void refuse(bool wrong, std::string what) {
        if (wrong) all_.push_back(std::move(what));
    }
    /// Adds "NAME = VALUE: must be ALLOWED" unless `holds`.
    void require_value(bool holds, std::string_view name, Real value, std::string_view allowed) {
        require(holds, "{} = {}: must be {}", name, value, allowed);
    }
    void at_least_zero(std::string_view name, Real value) {
        require_value(value >= 0 && value <= kAbsurd, name, value, "a finite number, at least 0");
    }
    void at_least_one(std::string_view name, std::uint64_t value) {
        require(value >= 1, "{} = {}: must be at least 1", name, value);
    }
    void above_zero(std::string_view name, Real value) { require_value(value > 0, name, value, "above 0"); }
    void positive_or_automatic(std::string_view name, Real value) {
        require_value(value >= 0 && value <= kAbsurd, name, value, "positive, or 0 for an automatic one");
    }
    /// Runs `check`; returns false if it threw ConfigError. `option` comes before its messages.
    template <class Check>
    bool collect(std::string_view option, Check check) {
        return proxstream::collect(all_, option, check);
    }
    bool empty() const noexcept { return all_.empty(); }
    /// Throws ConfigError if there are any.
    void conclude() const {
        if (!all_.empty()) throw ConfigError(all_);
    }

  private:
    std::vector<std::string> all_;
};

/// Throws ConfigError with the message unless `holds`.
template <class... Args>
void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
    if (!holds) throw ConfigError(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace proxstream
