/// Windows with any weights by age, among them the seasonal ones.
#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "window/window_weights.hpp"

#include <numeric>
#include <string>
#include <utility>

namespace proxstream {
namespace {

class ListedWindow final : public WindowForm {
  public:
    /// The last weight is not 0.
    explicit ListedWindow(std::vector<Real> weights, bool seasonal = false)
        : weights_(std::move(weights)), seasonal_(seasonal) {}

    Index length() const override { return weights_.size(); }
    Real newest(Round /*t*/) const override { return weights_.front(); }
    Real mass() const override { return std::accumulate(weights_.begin(), weights_.end(), Real{0}); }
    bool is_dense() const override { return false; }
    bool is_seasonal() const override { return seasonal_; }
    void at(Round /*t*/, std::vector<Real>& out) const override { out = weights_; }
    void follow(Round /*t*/, WindowRecurrence& out) const override {
        Real before = 0;
        for (Index age = 0; age <= weights_.size(); ++age) {
            const Real now = age < weights_.size() ? weights_[age] : 0;
            if (now != before) out.records.push_back({age, now - before});
            before = now;
        }
    }
    std::shared_ptr<const WindowForm> rest(bool rescaled) const override {
        std::vector<Real> rest(weights_.begin() + 1, weights_.end());
        const Real left = std::accumulate(rest.begin(), rest.end(), Real{0});
        if (left == 0) return nullptr;
        if (rescaled) {
            for (Real& weight : rest) weight *= (left + weights_.front()) / left;
        }
        return std::make_shared<ListedWindow>(std::move(rest));
    }

  private:
    std::vector<Real> weights_;
    bool seasonal_;
};

}  // namespace

WindowWeights WindowWeights::listed(std::vector<Real> weights) {
    std::vector<std::string> violations;
    Real total = 0;
    for (Index i = 0; i < weights.size(); ++i) {
        if (!(weights[i] >= 0 && weights[i] < kInfinity)) {
            violations.push_back("window weights: the weight of age " + std::to_string(i) + " is " +
                                 format_short(weights[i]) + "; it must be finite and not negative");
        }
        total += weights[i];
    }
    while (!weights.empty() && weights.back() == 0) weights.pop_back();
    // The sum of many shares rounds: what is accepted here is far below what any bound could show.
    constexpr Real kRounding = 1e-9;
    if (violations.empty() && total > 1 + kRounding) {
        violations.push_back("window weights: they add up to " + format_short(total) +
                             "; at most 1 is allowed");
    }
    if (violations.empty() && weights.empty())
        violations.emplace_back("window weights: they are all 0; at least one has to be positive");
    if (!violations.empty()) throw ConfigError(std::move(violations));
    std::string text = "weights:";
    for (Index i = 0; i < weights.size(); ++i) text += (i > 0 ? "," : "") + format_short(weights[i]);
    return {std::make_shared<ListedWindow>(std::move(weights)), std::move(text)};
}

WindowWeights WindowWeights::season(Index period, Index count) {
    std::string text = "season:" + std::to_string(period) + "," + std::to_string(count);
    check_window_length(text, "period", period);
    check_window_length(text, "count", count);
    if (count > 1 && period > (kLongestWindow - 1) / (count - 1))
        refuse_window(text, "the oldest lag, (count - 1) period, must be below 10000000");
    std::vector<Real> weights((count - 1) * period + 1);
    for (Index i = 0; i < weights.size(); i += period) weights[i] = 1 / static_cast<Real>(count);
    return {std::make_shared<ListedWindow>(std::move(weights), period > 1 && count > 1), std::move(text)};
}

}  // namespace proxstream
