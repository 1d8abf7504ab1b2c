/// A plugin: your own regulariser and loss, available by name in the program.
///   cmake -S examples/plugin -B build/plugin && cmake --build build/plugin
///   proxstream learn rows.csv --plugin build/plugin/plugin.so --loss pseudo-huber:2 --reg signed-l1:0.1,0.3
#include "proxstream/core/error.hpp"
#include "proxstream/registry.hpp"

#include <cmath>
#include <memory>
#include <optional>

namespace ps = proxstream;

namespace {

/// g(x) = sum up max(x_i, 0) + down max(-x_i, 0): sparse coordinates, with a price for each sign.
class SignedL1 {
  public:
    SignedL1(ps::Real up, ps::Real down) : up_(up), down_(down) {
        if (!(up >= 0 && down >= 0)) {
            throw ps::ConfigError("up = " + ps::format_short(up) + ", down = " + ps::format_short(down) +
                                  ": neither may be negative");
        }
    }
    ps::Real value(ps::ConstView x, ps::Scratch& /*scratch*/) const {
        ps::Real sum = 0;
        for (const ps::Real each : x) sum += each > 0 ? up_ * each : -down_ * each;
        return sum;
    }
    ps::Real prox(ps::ConstView v, ps::Real step, ps::View out, ps::Scratch& scratch) const {
        for (ps::Index i = 0; i < v.size(); ++i) {
            const ps::Real right = v[i] - step * up_;
            const ps::Real left = v[i] + step * down_;
            out[i] = right > 0 ? right : left < 0 ? left : 0;
        }
        return value(out, scratch);
    }

  private:
    ps::Real up_;
    ps::Real down_;
};

/// c^2 (sqrt(1 + (r/c)^2) - 1) of the residual r of a linear model without an intercept.
class PseudoHuber final : public ps::RowLoss {
  public:
    PseudoHuber(ps::Real scale, ps::Index features) : scale_(scale), features_(features) {
        if (!(scale > 0)) throw ps::ConfigError("scale = " + ps::format_short(scale) + " must be positive");
    }
    ps::Index dimension() const override { return features_; }
    ps::Real value_and_gradient(ps::ConstView features, ps::Real target, ps::ConstView x,
                                ps::View gradient) const override {
        const ps::Real residual = predict(features, x) - target;
        const ps::Real root = std::hypot(1, residual / scale_);
        for (ps::Index i = 0; i < x.size(); ++i) gradient[i] = residual / root * features[i];
        return scale_ * scale_ * (root - 1);
    }
    ps::Real predict(ps::ConstView features, ps::ConstView x) const override {
        ps::Real sum = 0;
        for (ps::Index i = 0; i < x.size(); ++i) sum += features[i] * x[i];
        return sum;
    }
    std::optional<ps::Real> smoothness(ps::ConstView features) const override {
        ps::Real sum = 0;
        for (const ps::Real each : features) sum += each * each;
        return sum;
    }
    ps::Real infimum() const override { return 0; }

  private:
    ps::Real scale_;
    ps::Index features_;
};

}  // namespace

extern "C" void proxstream_register() {
    ps::register_regulariser(
        "signed-l1", "signed-l1:0.1,0.3", "l1 with a weight for each sign: up, down",
        [](const ps::Spec& spec) {
            return ps::AnyRegulariser(SignedL1(spec.number(0, "up"), spec.number(1, "down")));
        });
    ps::register_loss("pseudo-huber", "pseudo-huber[:c]", "robust regression: c^2 (sqrt(1 + (r/c)^2) - 1)",
                      [](const ps::Spec& spec, const ps::RowShape& shape) {
                          return std::make_unique<PseudoHuber>(spec.number_or(0, "scale", 1), shape.features);
                      });
}
