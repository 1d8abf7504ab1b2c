#include <cmath>
#include <iostream>

#include <proxstream/proxstream.hpp>

int main() {
    proxstream::OnlineLearner learner({.dimension = 1});
    for (int t = 0; t < 1000; ++t) {
        const double target = std::sin(0.01 * t);  // moves, and is known only after the decision
        learner.observe([target](proxstream::ConstView x, proxstream::View gradient) {
            gradient[0] = x[0] - target;
            return gradient[0] * gradient[0] / 2;
        });
    }
    std::cout << learner.certificate();
}
