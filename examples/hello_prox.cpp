// A regulariser is any type with a value and a prox. This one keeps |x_i| small: g(x) = level * sum |x_i|,
// whose prox pulls every coordinate towards zero by step * level and stops there.
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace proxstream;

struct Lasso {
    Real level;

    Real value(ConstView x, Scratch& /*scratch*/) const {
        Real total = 0;
        for (const Real coordinate : x) total += std::abs(coordinate);
        return level * total;
    }
    Real prox(ConstView v, Real step, View out, Scratch& scratch) const {
        for (Index i = 0; i < v.size(); ++i) {
            const Real kept = std::abs(v[i]) - step * level;
            out[i] = kept > 0 ? std::copysign(kept, v[i]) : 0;
        }
        return value(out, scratch);
    }
};
static_assert(Regulariser<Lasso>);

int main() {
    Scratch scratch;
    const AnyRegulariser g{Lasso{0.5}};
    std::vector<Real> x{2, -0.25, 0.5, -3};
    const Real before = g.value(x, scratch);
    const Real after = g.prox(x, 1.0, x, scratch);
    std::printf("g fell from %g to %g; the point is now (%g, %g, %g, %g), norm %g\n", before, after, x[0],
                x[1], x[2], x[3], norm(x));
    return x[1] == 0 && x[2] == 0 && after < before ? EXIT_SUCCESS : EXIT_FAILURE;
}
