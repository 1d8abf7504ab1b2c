// The prox with a step for each coordinate, against one prox for each of its steps.
#include "proxstream/prox/regulariser_table.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

const std::vector<Real> kArgument{-2.5, -0.3, 0.05, 0.9, 4};
const std::vector<Real> kSteps{0.1, 3, 0.7, 20, 1};

class WeightedProx : public testing::TestWithParam<const char*> {};

TEST_P(WeightedProx, EqualsTheProxOfEachStep) {
    const AnyRegulariser g = parse_regulariser(GetParam());
    ASSERT_TRUE(supports_weighted_prox(g));
    Scratch scratch;
    std::vector<Real> out(kArgument.size());
    const Real value = weighted_prox(g, kArgument, kSteps, out, scratch);
    EXPECT_DOUBLE_EQ(value, g.value(out, scratch));
    std::vector<Real> single(kArgument.size());
    for (Index i = 0; i < out.size(); ++i) {
        g.prox(kArgument, kSteps[i], single, scratch);
        EXPECT_NEAR(out[i], single[i], 1e-15) << i;
    }
    std::vector<Real> in_place = kArgument;
    weighted_prox(g, in_place, kSteps, in_place, scratch);
    EXPECT_EQ(in_place, out);
}

INSTANTIATE_TEST_SUITE_P(Separable, WeightedProx,
                         testing::Values("zero", "l1:0.4", "l1:weights=0;1;2;0.1;3", "l2sq:0.8",
                                         "elastic:0.1,0.2", "box:-1,0.5", "nonneg", "nonneg-l1:0.3",
                                         "l1:0.2+box:-1,1", "l2sq:0.3+nonneg", "slice:1,4,(l1:0.4)"));

TEST(WeightedProxSupport, IsDeniedWhereCoordinatesDependOnEachOther) {
    for (const char* text : {"simplex", "l2:0.1", "group:0.1,size=5", "tv:0.1", "l2ball:1",
                             "l2sq:0.1+simplex", "slice:0,3,(simplex)"})
        EXPECT_FALSE(supports_weighted_prox(parse_regulariser(text))) << text;
}

}  // namespace
}  // namespace proxstream
