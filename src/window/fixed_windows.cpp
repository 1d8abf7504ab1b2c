/// Windows that give each age below W a weight of its own, the same in every round: box, exponential and
/// triangle.
#include "proxstream/core/spec.hpp"

#include "window/window_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace proxstream {
namespace {

using Rest = std::shared_ptr<const WindowForm>;

class FixedWindow : public WindowForm {
  public:
    FixedWindow(Index length, Real first) : length_(length), first_(first) {}

    Index length() const override { return length_; }
    Real newest(Round /*t*/) const override { return first_; }

  protected:
    /// What `rest` multiplies its weights by.
    Real rescaling(bool rescaled) const { return rescaled ? 1 / (1 - first_) : 1; }

    Index length_;
    Real first_;  // a_0
};

/// a_i = 1/w.
class Box final : public FixedWindow {
  public:
    using FixedWindow::FixedWindow;

    Real effective_length() const override { return static_cast<Real>(length_); }
    void at(Round /*t*/, std::vector<Real>& out) const override { out.assign(length_, first_); }
    void follow(Round /*t*/, WindowRecurrence& out) const override {
        out.is_swap = true;
        out.records = {{0, first_}, {length_, -first_}};
    }
    Rest rest(bool rescaled) const override {
        if (length_ == 1) return nullptr;
        const Index left = length_ - 1;
        return std::make_shared<Box>(left, rescaled ? 1 / static_cast<Real>(left) : first_);
    }
};

/// a_i = C b^i for i < W.
class Exponential final : public FixedWindow {
  public:
    Exponential(Index length, Real first, Real ratio) : FixedWindow(length, first), ratio_(ratio) {}

    void at(Round /*t*/, std::vector<Real>& out) const override {
        out.resize(length_);
        Real weight = first_;
        for (Real& each : out) {
            each = weight;
            weight *= ratio_;
        }
    }
    void follow(Round /*t*/, WindowRecurrence& out) const override {
        out.keep = ratio_;
        out.records = {{0, first_}, {length_, -first_ * std::pow(ratio_, static_cast<Real>(length_))}};
    }
    Rest rest(bool rescaled) const override {
        if (length_ == 1) return nullptr;
        return std::make_shared<Exponential>(length_ - 1, first_ * ratio_ * rescaling(rescaled), ratio_);
    }

  private:
    Real ratio_;  // b
};

/// a_i = a_0 (W - i) / W: each round every weight falls by a_0 / W.
class Triangle final : public FixedWindow {
  public:
    using FixedWindow::FixedWindow;

    Index summed() const override { return length_; }
    void at(Round /*t*/, std::vector<Real>& out) const override {
        out.resize(length_);
        for (Index i = 0; i < length_; ++i)
            out[i] = first_ * (static_cast<Real>(length_ - i) / static_cast<Real>(length_));
    }
    void follow(Round /*t*/, WindowRecurrence& out) const override {
        out.of_sum = -first_ / static_cast<Real>(length_);
        out.records = {{0, first_}};
    }
    Rest rest(bool rescaled) const override {
        if (length_ == 1) return nullptr;
        const Real second = first_ - first_ / static_cast<Real>(length_);
        return std::make_shared<Triangle>(length_ - 1, second * rescaling(rescaled));
    }
};

}  // namespace

WindowWeights WindowWeights::box(Index length) {
    check_window_length("box", "its length", length);
    return {std::make_shared<Box>(length, 1 / static_cast<Real>(length)), std::to_string(length)};
}

WindowWeights WindowWeights::exponential(Real span, Index length) {
    std::string text = "exp:" + format_short(span) + ",length=" + std::to_string(length);
    check_window_length(text, "length", length);
    if (!(span > 1 && span <= static_cast<Real>(kLongestWindow)))
        refuse_window(text, "span must lie in (1, 10000000]");
    const Real ratio = 1 - 1 / span;
    const Real first = (1 - ratio) / -std::expm1(static_cast<Real>(length) * std::log(ratio));
    return {std::make_shared<Exponential>(length, first, ratio), std::move(text)};
}

WindowWeights WindowWeights::triangle(Index length) {
    check_window_length("triangle", "its length", length);
    return {std::make_shared<Triangle>(length, 2 / (static_cast<Real>(length) + 1)),
            "triangle:" + std::to_string(length)};
}

}  // namespace proxstream
