/// What users of the prox room may get wrong: refused with the value and what is allowed.
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/separable.hpp"

#include "support/refusal.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

TEST(ProxMisuse, StepsThatAreNotPositiveAndFiniteAreRefused) {
    const L1Norm g(0.5);
    const std::vector<Real> x{1, -2};
    for (const Real step : {0.0, -1.0, kInfinity, std::numeric_limits<Real>::quiet_NaN()}) {
        std::vector<Real> forward{7, 7};
        std::vector<Real> gap{7, 7};
        Scratch scratch;
        const std::string message = tests::refusal([&] {
            prox_gradient_step(g, x, x, step, {forward, gap}, scratch);
        });
        EXPECT_NE(message.find("must be finite and positive"), std::string::npos) << step << ": " << message;
        EXPECT_EQ(forward, (std::vector<Real>{7, 7}));
    }
}

TEST(ProxMisuse, ACentreOfAnotherLengthIsRefused) {
    const L1Norm g(0.5);
    const std::vector<Real> v{1, -2};
    const std::vector<Real> centre{1, 2, 3};
    std::vector<Real> out{7, 7};
    Scratch scratch;
    const std::string message = tests::refusal([&] { switching_prox(g, v, 1, {0.1, centre}, out, scratch); });
    EXPECT_NE(message.find("the centre has 3 coordinates; it must have 2"), std::string::npos) << message;
    EXPECT_EQ(out, (std::vector<Real>{7, 7}));
}

}  // namespace
}  // namespace proxstream
