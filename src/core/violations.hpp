/// Collects everything that is wrong with a set of values before refusing them.
#pragma once

#include "proxstream/core/error.hpp"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {

class Violations {
  public:
    template <class... Args>
    void require(bool holds, fmt::format_string<Args...> message, Args&&... args) {
        if (!holds) found_.push_back(fmt::format(message, std::forward<Args>(args)...));
    }
    bool none() const { return found_.empty(); }
    /// Throws ConfigError if anything was found.
    void raise() {
        if (!found_.empty()) throw ConfigError(std::move(found_));
    }

  private:
    std::vector<std::string> found_;
};

}  // namespace proxstream
