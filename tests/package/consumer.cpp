// A program that uses an installed proxstream: one function of each room that is public, and a name of its
// own.
#include <cmath>
#include <iostream>
#include <vector>

#include <proxstream/loss/row_loss.hpp>
#include <proxstream/prox/prox_gradient_step.hpp>
#include <proxstream/registry.hpp>
#include <proxstream/regret/certify.hpp>
#include <proxstream/traffic/city.hpp>
#include <proxstream/traffic/link_costs.hpp>
#include <proxstream/traffic/open_network.hpp>

namespace ps = proxstream;

namespace {

int failures = 0;

void expect(bool holds, const char* what) {
    if (holds) return;
    std::cerr << "not so: " << what << '\n';
    ++failures;
}

template <class Error, class Call>
bool throws(Call call) {
    try {
        call();
    } catch (const Error&) {
        return true;
    }
    return false;
}

}  // namespace

int main() {
    ps::register_regulariser("half-l1", "half-l1", "half the l1 norm",
                             [](const ps::Spec&) { return ps::parse_regulariser("l1:0.5"); });
    ps::Scratch scratch;
    std::vector<ps::Real> out(3);
    ps::parse_regulariser("half-l1").prox(std::vector<ps::Real>{2, -0.25, -1}, 1, out, scratch);
    expect(out == std::vector<ps::Real>{1.5, 0, -0.5}, "a registered regulariser is known by its name");

    const auto family = ps::make_row_family("logistic", {.features = 2, .intercept = false});
    ps::RowBlock row;
    row.add_dense(std::vector<ps::Real>{1, 2}, 1);
    std::vector<ps::Real> x(2);
    expect(std::abs(family->value(row, x, scratch) - std::log(2)) < 1e-15, "the logistic loss at 0 is log 2");

    const ps::City city = ps::make_city({});
    const ps::LinkCosts costs(city.network, "bpr", {}, {});
    expect(costs.time(0, 0).time > 0, "a street takes time");
    expect(throws<ps::IoError>([] { ps::open_network("no such file"); }), "a missing network is an IoError");
    expect(throws<ps::IoError>([] { ps::certify("no such file"); }), "a missing ledger is an IoError");
    return failures == 0 ? 0 : 1;
}
