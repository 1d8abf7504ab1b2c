#include "proxstream/prox/prox_gradient_step.hpp"

#include "proxstream/core/error.hpp"

#include <fmt/format.h>

namespace proxstream {

void refuse_step(Real step) {
    throw ConfigError(fmt::format("step = {} must be finite and positive", step));
}

}  // namespace proxstream
