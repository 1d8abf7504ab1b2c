#include "window/window_weights.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>

namespace proxstream {
namespace {

constexpr Index kLongestWindow = 10'000'000;

constexpr std::array kWindows{
    WindowForm{"W, box:W", "the mean of the last W losses"},
    WindowForm{"exp:SPAN[,length=3*SPAN]", "weights fall by 1 - 1/SPAN with each round of age"},
    WindowForm{"triangle:W", "weights fall evenly to 0 at age W"},
    WindowForm{"mean:R[,keep=1]",
               "the mean of everything since a restart; at R losses only the newest KEEP stay"},
    WindowForm{"season:S,M", "the mean of the losses 0, S, 2S, .., (M-1)S rounds old"},
    WindowForm{"weights:A0,A1,..", "a weight for each age, newest first; not negative, at most 1 together"},
};

constexpr std::array kModels{
    WindowForm{"auto", "mean for seasons and windows of 16 and more, previous for shorter ones"},
    WindowForm{"previous",
               "the window as it is: Algorithm 1, which expects the loss that leaves to come back"},
    WindowForm{"mean", "the mean of the losses that stay"},
    WindowForm{"zero", "no loss at all"},
    WindowForm{"season:S", "the loss of S rounds before"},
    WindowForm{"forecast", "the row of the file given by --forecast"},
};

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
    throw ConfigError("window '" + text + "': " + why);
}

void check_length(const std::string& text, std::string_view what, Index length) {
    if (length < 1 || length > kLongestWindow) {
        refuse(text, std::string(what) + " = " + std::to_string(length) + " must be from 1 to 10000000");
    }
}

/// The positional argument or `key` as a count.
Index count_at(const Spec& spec, Index position, std::string_view key) {
    const Real value = spec.number(position, key);
    if (!(value >= 1 && value <= static_cast<Real>(kLongestWindow)) || value != std::floor(value)) {
        refuse(spec.text(),
               std::string(key) + " = " + format_short(value) + " is not a whole number from 1 to 10000000");
    }
    return static_cast<Index>(value);
}

/// Something that means to be a number; no window's name begins like one.
bool is_number(std::string_view text) {
    return !text.empty() && std::string_view("0123456789+-.").find(text.front()) != std::string_view::npos;
}

}  // namespace

std::span<const WindowForm> ModelRule::forms() {
    return kModels;
}

std::span<const WindowForm> WindowWeights::forms() {
    return kWindows;
}

ModelRule ModelRule::parse(std::string_view text) {
    const Spec spec = Spec::parse(text);
    ModelRule rule;
    if (spec.name() == "auto") {
        rule.kind = Kind::automatic;
    } else if (spec.name() == "previous") {
        rule.kind = Kind::previous;
    } else if (spec.name() == "mean") {
        rule.kind = Kind::mean;
    } else if (spec.name() == "zero") {
        rule.kind = Kind::zero;
    } else if (spec.name() == "forecast") {
        rule.kind = Kind::record;
    } else if (spec.name() == "season") {
        rule.kind = Kind::season;
        const Real lag = spec.number(0, "lag");
        if (!(lag >= 1 && lag <= static_cast<Real>(kLongestWindow)) || lag != std::floor(lag)) {
            throw ConfigError("model '" + spec.text() +
                              "': the season is not a whole number from 1 to 10000000");
        }
        rule.lag = static_cast<Index>(lag);
    } else {
        throw ConfigError(
            unknown_name("model", spec.name(), {"auto", "previous", "mean", "zero", "season:S", "forecast"}));
    }
    spec.finish();
    return rule;
}

std::string ModelRule::text() const {
    switch (kind) {
        case Kind::previous:
            return "previous";
        case Kind::mean:
            return "mean";
        case Kind::zero:
            return "zero";
        case Kind::season:
            return "season:" + std::to_string(lag);
        case Kind::record:
            return "forecast";
        case Kind::automatic:
            return "auto";
    }
    return "?";
}

ModelRule ModelRule::for_judge(const WindowWeights& judge) const {
    constexpr Real kLong = 16;
    if (kind != Kind::automatic) return *this;
    // A season's lags lie apart: yesterday's phase says nothing of the one to come, so the window as it is
    // would be solved for the wrong one.
    return {judge.effective_length() >= kLong || judge.is_seasonal() ? Kind::mean : Kind::previous, 0};
}

WindowWeights WindowWeights::box(Index length) {
    check_length("box", "its length", length);
    WindowWeights window(Kind::box, length, 1 / static_cast<Real>(length));
    window.text_ = std::to_string(length);
    return window;
}

WindowWeights WindowWeights::exponential(Real span, Index length) {
    const std::string text = "exp:" + format_short(span) + ",length=" + std::to_string(length);
    check_length(text, "length", length);
    if (!(span > 1 && span <= static_cast<Real>(kLongestWindow)))
        refuse(text, "span must lie in (1, 10000000]");
    const Real ratio = 1 - 1 / span;
    WindowWeights window(Kind::exponential, length,
                         (1 - ratio) / -std::expm1(static_cast<Real>(length) * std::log(ratio)));
    window.ratio_ = ratio;
    window.text_ = text;
    return window;
}

WindowWeights WindowWeights::triangle(Index length) {
    check_length("triangle", "its length", length);
    WindowWeights window(Kind::triangle, length, 2 / (static_cast<Real>(length) + 1));
    window.text_ = "triangle:" + std::to_string(length);
    return window;
}

WindowWeights WindowWeights::running_mean(Index longest, Index keep) {
    const std::string text = "mean:" + std::to_string(longest) + ",keep=" + std::to_string(keep);
    check_length(text, "its length", longest);
    if (keep < 1 || keep >= std::max<Index>(longest, 2)) {
        refuse(text, "keep must be at least 1 and below the longest mean");
    }
    WindowWeights window(Kind::running_mean, longest, 1);
    window.keep_ = keep;
    window.text_ = text;
    return window;
}

WindowWeights WindowWeights::season(Index period, Index count) {
    const std::string text = "season:" + std::to_string(period) + "," + std::to_string(count);
    check_length(text, "period", period);
    check_length(text, "count", count);
    if (count > 1 && period > (kLongestWindow - 1) / (count - 1)) {
        refuse(text, "the oldest lag, (count - 1) period, must be below 10000000");
    }
    std::vector<Real> weights((count - 1) * period + 1);
    for (Index i = 0; i < weights.size(); i += period) weights[i] = 1 / static_cast<Real>(count);
    WindowWeights window = listed(std::move(weights));
    window.seasonal_ = period > 1 && count > 1;
    window.text_ = text;
    return window;
}

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
    // The sum of many shares rounds: what is forgiven here is far below what any bound could show.
    constexpr Real kRounding = 1e-9;
    if (violations.empty() && total > 1 + kRounding) {
        violations.push_back("window weights: they add up to " + format_short(total) +
                             "; at most 1 is allowed");
    }
    if (violations.empty() && weights.empty()) {
        violations.emplace_back("window weights: they are all 0; at least one has to be positive");
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
    WindowWeights window(Kind::listed, weights.size(), weights.front());
    window.text_ = "weights:";
    for (Index i = 0; i < weights.size(); ++i) window.text_ += (i > 0 ? "," : "") + format_short(weights[i]);
    window.listed_ = std::move(weights);
    return window;
}

WindowWeights WindowWeights::parse(std::string_view text) {
    if (is_number(text)) {
        Index length = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), length);
        if (status != std::errc{} || end != text.data() + text.size() || length < 1 ||
            length > kLongestWindow) {
            refuse(std::string(text), "a plain length is a whole number from 1 to 10000000");
        }
        return box(length);
    }
    const Spec spec = Spec::parse(text);
    const auto finished = [&spec](WindowWeights window) {
        spec.finish();
        return window;
    };
    if (spec.name() == "box") return finished(box(count_at(spec, 0, "length")));
    if (spec.name() == "triangle") return finished(triangle(count_at(spec, 0, "length")));
    if (spec.name() == "mean") {
        const Index longest = count_at(spec, 0, "longest");
        return finished(running_mean(longest, spec.count_or("keep", 1)));
    }
    if (spec.name() == "season") {
        const Index period = count_at(spec, 0, "period");
        return finished(season(period, count_at(spec, 1, "count")));
    }
    if (spec.name() == "weights") return finished(listed(spec.numbers_from(0)));
    if (spec.name() == "exp") {
        const Real span = spec.number(0, "span");
        constexpr Real kSpans = 3;  // beyond three spans 5 % of the weight is left
        if (!(span > 1 && span <= static_cast<Real>(kLongestWindow) / kSpans)) {
            refuse(spec.text(), "span must be above 1 and at most 3333333");
        }
        return finished(
            exponential(span, spec.count_or("length", static_cast<Index>(std::ceil(kSpans * span)))));
    }
    throw ConfigError(
        unknown_name("window", spec.name(), {"box", "exp", "triangle", "mean", "season", "weights", "auto"}) +
        ", or a plain number");
}

Index WindowWeights::mean_length(Round t) const {
    const Round judged = t + ahead_;
    const Round longest = length_ + ahead_;
    const Round m = judged <= longest ? judged : keep_ + (judged - longest - 1) % (longest - keep_ + 1);
    if (ahead_ == 0) return static_cast<Index>(m);
    // The judge of round t+1 counts m records, the newest of which is not there yet.
    return static_cast<Index>(m) - (share_absent_ || m > 1 ? 1 : 0);
}

Real WindowWeights::mean_weight(Round t) const {
    const Index count = mean_length(t) + (share_absent_ ? 1 : 0);
    return 1 / static_cast<Real>(count);
}

void WindowWeights::at(Round t, std::vector<Real>& out) const {
    switch (kind_) {
        case Kind::box:
            out.assign(length_, first_);
            break;
        case Kind::exponential: {
            out.resize(length_);
            Real weight = first_;
            for (Real& each : out) {
                each = weight;
                weight *= ratio_;
            }
            break;
        }
        case Kind::triangle:
            out.resize(length_);
            for (Index i = 0; i < length_; ++i) {
                out[i] = first_ * (static_cast<Real>(length_ - i) / static_cast<Real>(length_));
            }
            break;
        case Kind::running_mean:
            out.assign(mean_length(t), mean_weight(t));
            break;
        case Kind::listed:
            out = listed_;
            break;
    }
    if (lag_) {
        if (out.size() <= lag_->age) out.resize(lag_->age + 1);
        out[lag_->age] += lag_->weight;
    }
}

Index WindowWeights::summed() const {
    return kind_ == Kind::triangle ? length_ : 0;
}

void WindowWeights::follow(Round t, WindowRecurrence& out) const {
    out.keep = 1;
    out.of_sum = 0;
    out.is_swap = false;
    out.records.clear();
    switch (kind_) {
        case Kind::box:
            out.is_swap = !lag_;
            out.keep = length_ == 1 && !lag_ ? 0 : 1;
            out.records = {{0, first_}};
            if (out.keep != 0) out.records.push_back({length_, -first_});
            break;
        case Kind::exponential:
            out.keep = length_ == 1 && !lag_ ? 0 : ratio_;
            out.records = {{0, first_}};
            if (out.keep != 0) {
                out.records.push_back({length_, -first_ * std::pow(ratio_, static_cast<Real>(length_))});
            }
            break;
        case Kind::triangle:
            out.keep = length_ == 1 && !lag_ ? 0 : 1;
            if (out.keep != 0) out.of_sum = -first_ / static_cast<Real>(length_);
            out.records = {{0, first_}};
            break;
        case Kind::running_mean: {
            const Index now = mean_length(t);
            const Index before = t > 1 ? mean_length(t - 1) : 0;
            const Real weight = mean_weight(t);
            if (now == before + 1 && before > 0) {
                out.keep = weight / mean_weight(t - 1);
                out.records = {{0, weight}};
                break;
            }
            out.keep = 0;
            for (Index age = 0; age < now; ++age) out.records.push_back({age, weight});
            break;
        }
        case Kind::listed:
            for (Index age = 0; age <= listed_.size(); ++age) {
                const Real now = age < listed_.size() ? listed_[age] : 0;
                const Real before = age > 0 ? listed_[age - 1] : 0;
                if (now != before) out.records.push_back({age, now - before});
            }
            if (listed_.size() == 1 && !lag_) {
                out.keep = 0;
                out.records = {{0, listed_.front()}};
            }
            break;
    }
    if (!lag_) return;
    const auto add = [&out](Index age, Real weight) {
        const auto place = std::find_if(out.records.begin(), out.records.end(),
                                        [age](const WeightedAge& each) { return each.age >= age; });
        if (place != out.records.end() && place->age == age) {
            place->weight += weight;
        } else {
            out.records.insert(place, {age, weight});
        }
    };
    add(lag_->age, lag_->weight);
    add(lag_->age + 1, -out.keep * lag_->weight);
    std::erase_if(out.records, [](const WeightedAge& each) { return each.weight == 0; });
}

Index WindowWeights::length() const {
    return lag_ ? std::max(length_, lag_->age + 1) : length_;
}

Real WindowWeights::newest(Round t) const {
    if (kind_ == Kind::running_mean) return mean_weight(t);
    return first_;
}

Real WindowWeights::mass() const {
    return kind_ == Kind::listed ? std::accumulate(listed_.begin(), listed_.end(), Real{0}) : 1;
}

Real WindowWeights::effective_length() const {
    if (kind_ == Kind::box || kind_ == Kind::running_mean) return static_cast<Real>(length_);
    std::vector<Real> weights;
    at(1, weights);
    Real variation = weights.back();
    Real before = 0;
    for (const Real weight : weights) {
        variation += std::abs(weight - before);
        before = weight;
    }
    return 2 / variation;
}

WindowWeights WindowWeights::model(const ModelRule& asked) const {
    using Rule = ModelRule::Kind;
    const ModelRule rule = asked.for_judge(*this);
    if (rule.kind == Rule::previous) return *this;
    const std::string what = "model " + rule.text() + ", window " + text_ + ": ";
    const bool mean = rule.kind == Rule::mean;
    WindowWeights model = *this;
    model.text_ = rule.text();
    if (kind_ == Kind::running_mean) {
        if (rule.kind == Rule::season) throw ConfigError(what + "a running mean has no season");
        if (!mean && keep_ < 2)
            throw ConfigError(what + "right after a restart nothing would be left; keep at least 2");
        model.ahead_ = 1;
        model.share_absent_ = !mean;
        model.length_ = std::max<Index>(length_ - 1, 1);
        return model;
    }
    if (kind_ == Kind::listed) {
        std::vector<Real> rest(listed_.begin() + 1, listed_.end());
        const Real left = std::accumulate(rest.begin(), rest.end(), Real{0});
        if (left == 0) {
            if (!mean) throw ConfigError(what + "the window has no record but the one to come");
            return *this;
        }
        if (mean) {
            for (Real& weight : rest) weight *= (left + first_) / left;
        }
        while (rest.back() == 0) rest.pop_back();
        model.length_ = rest.size();
        model.first_ = rest.front();
        model.listed_ = std::move(rest);
    } else {
        if (length_ == 1) {
            if (!mean && rule.kind != Rule::season) {
                throw ConfigError(what + "the window has no record but the one to come");
            }
            if (mean) return box(1);
            // Only the seasonal record is left: it is the whole model.
            std::vector<Real> single(rule.lag);
            single.back() = first_;
            return listed(std::move(single));
        }
        const Index shorter = length_ - 1;
        switch (kind_) {
            case Kind::box:
                model.first_ = mean ? 1 / static_cast<Real>(shorter) : first_;
                break;
            case Kind::exponential:
                model.first_ = first_ * ratio_ * (mean ? 1 / (1 - first_) : 1);
                break;
            case Kind::triangle:
                model.first_ = (first_ - first_ / static_cast<Real>(length_)) * (mean ? 1 / (1 - first_) : 1);
                break;
            case Kind::running_mean:
            case Kind::listed:
                break;
        }
        model.length_ = shorter;
    }
    if (rule.kind == Rule::season) {
        model.lag_ = WeightedAge{rule.lag - 1, first_};
    }
    return model;
}

}  // namespace proxstream
