/// Collects the mistakes in the options of a call, so that one error names all of them.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace proxstream {

class OptionChecks {
  public:
    void require(bool holds, std::string violation) {
        if (!holds) violations_.push_back(std::move(violation));
    }
    /// The violation is "NAME = VALUE: must be ALLOWED".
    void require(bool holds, std::string_view name, Real value, std::string_view allowed) {
        if (!holds) violations_.push_back(fmt::format("{} = {}: must be {}", name, value, allowed));
    }
    void at_least_zero(std::string_view name, Real value) {
        require(value >= 0 && value <= kAbsurd, name, value, "a finite number, at least 0");
    }
    void at_least_one(std::string_view name, std::uint64_t value) {
        require(value >= 1, name, static_cast<Real>(value), "at least 1");
    }
    void above_zero(std::string_view name, Real value) { require(value > 0, name, value, "above 0"); }
    void positive_or_automatic(std::string_view name, Real value) {
        require(value >= 0 && value <= kAbsurd, name, value, "positive, or 0 for an automatic one");
    }
    /// Adds the violations that `parse` throws. Returns false if there are any.
    template <class Parse>
    bool parses(std::string_view name, const Parse& parse) {
        return collect(violations_, name, parse);
    }

    /// Throws ConfigError with all violations, if there are any.
    void finish() {
        if (!violations_.empty()) throw ConfigError(std::move(violations_));
    }

  private:
    std::vector<std::string> violations_;
};

}  // namespace proxstream
