/// Collects everything that is wrong with a set of values, so that one error names all of it.
#pragma once

#include "proxstream/core/error.hpp"

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
