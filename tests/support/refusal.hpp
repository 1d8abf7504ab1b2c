/// What a call is refused with.
#pragma once

#include "proxstream/core/error.hpp"

#include <string>

namespace proxstream::tests {

/// The text of the ConfigError that a call throws; "" if it throws none.
template <class Call>
std::string refusal(Call call) {
    try {
        call();
    } catch (const ConfigError& error) {
        return error.what();
    }
    return {};
}

}  // namespace proxstream::tests
