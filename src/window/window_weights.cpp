#include "window/window_weights.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

namespace proxstream {
namespace {

/// The positional argument or `key` as a count.
Index count_at(const Spec& spec, Index position, std::string_view key) {
    const Real value = spec.number(position, key);
    if (!(value >= 1 && value <= static_cast<Real>(kLongestWindow)) || value != std::floor(value)) {
        refuse_window(spec.text(), std::string(key) + " = " + format_short(value) +
                                       " is not a whole number from 1 to 10000000");
    }
    return static_cast<Index>(value);
}

WindowWeights make_box(const Spec& spec) {
    return WindowWeights::box(count_at(spec, 0, "length"));
}

WindowWeights make_exponential(const Spec& spec) {
    constexpr Real kSpans = 3;  // beyond three spans 5 % of the weight is left
    const Real span = spec.number(0, "span");
    if (!(span > 1 && span <= static_cast<Real>(kLongestWindow) / kSpans))
        refuse_window(spec.text(), "span must be above 1 and at most 3333333");
    return WindowWeights::exponential(span,
                                      spec.count_or("length", static_cast<Index>(std::ceil(kSpans * span))));
}

WindowWeights make_triangle(const Spec& spec) {
    return WindowWeights::triangle(count_at(spec, 0, "length"));
}

WindowWeights make_running_mean(const Spec& spec) {
    const Index longest = count_at(spec, 0, "longest");
    return WindowWeights::running_mean(longest, spec.count_or("keep", 1));
}

WindowWeights make_season(const Spec& spec) {
    const Index period = count_at(spec, 0, "period");
    return WindowWeights::season(period, count_at(spec, 1, "count"));
}

WindowWeights make_listed(const Spec& spec) {
    return WindowWeights::listed(spec.numbers_from(0));
}

constexpr std::array kForms{
    WindowUsage{"box", "W, box:W", "the mean of the last W losses"},
    WindowUsage{"exp", "exp:SPAN[,length=3*SPAN]", "weights fall by 1 - 1/SPAN with each round of age"},
    WindowUsage{"triangle", "triangle:W", "weights fall evenly to 0 at age W"},
    WindowUsage{"mean", "mean:R[,keep=1]",
                "the mean of everything since a restart; at R losses only the newest KEEP stay"},
    WindowUsage{"season", "season:S,M", "the mean of the losses 0, S, 2S, .., (M-1)S rounds old"},
    WindowUsage{"weights", "weights:A0,A1,..",
                "a weight for each age, newest first; not negative, at most 1 together"},
};
/// In the same order.
constexpr std::array kMakers{make_box,          make_exponential, make_triangle,
                             make_running_mean, make_season,      make_listed};
static_assert(kForms.size() == kMakers.size());

/// Whether the text is meant as a number; the names of windows do not begin like one.
bool is_number(std::string_view text) {
    return !text.empty() && std::string_view("0123456789+-.").find(text.front()) != std::string_view::npos;
}

[[noreturn]] void refuse_rule(const ForecastRule& rule, const WindowWeights& window, const char* why) {
    throw ConfigError("model " + rule.text() + ", window " + window.text() + ": " + why);
}

/// Puts a record with a weight of its own on top of a window: it enters at its age, and leaves after it.
void add_lag(const WeightedAge& lag, WindowRecurrence& out) {
    const auto add = [&out](Index age, Real weight) {
        const auto place = std::find_if(out.records.begin(), out.records.end(),
                                        [age](const WeightedAge& each) { return each.age >= age; });
        if (place != out.records.end() && place->age == age) {
            place->weight += weight;
        } else {
            out.records.insert(place, {age, weight});
        }
    };
    add(lag.age, lag.weight);
    add(lag.age + 1, -out.keep * lag.weight);
    std::erase_if(out.records, [](const WeightedAge& each) { return each.weight == 0; });
    out.is_swap = false;
}

}  // namespace

void refuse_window(const std::string& text, const std::string& why) {
    throw ConfigError("window '" + text + "': " + why);
}

void check_window_length(const std::string& text, std::string_view what, Index length) {
    if (length >= 1 && length <= kLongestWindow) return;
    refuse_window(text, std::string(what) + " = " + std::to_string(length) + " must be from 1 to 10000000");
}

Real WindowForm::effective_length() const {
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

std::span<const WindowUsage> WindowWeights::forms() {
    return kForms;
}

WindowWeights WindowWeights::parse(std::string_view text) {
    if (is_number(text)) {
        Index length = 0;
        const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), length);
        if (status != std::errc{} || end != text.data() + text.size() || length < 1 ||
            length > kLongestWindow) {
            refuse_window(std::string(text), "a plain length is a whole number from 1 to 10000000");
        }
        return box(length);
    }
    const Spec spec = Spec::parse(text);
    std::vector<std::string> known;
    for (Index i = 0; i < kForms.size(); ++i) {
        known.emplace_back(kForms[i].name);
        if (kForms[i].name != spec.name()) continue;
        WindowWeights window = kMakers[i](spec);
        spec.finish();
        return window;
    }
    known.emplace_back("auto");
    throw ConfigError(unknown_name("window", spec.name(), known) + ", or a plain number");
}

Index WindowWeights::length() const {
    return lag_ ? std::max(form_->length(), lag_->age + 1) : form_->length();
}

void WindowWeights::at(Round t, std::vector<Real>& out) const {
    form_->at(t, out);
    if (!lag_) return;
    if (out.size() <= lag_->age) out.resize(lag_->age + 1);
    out[lag_->age] += lag_->weight;
}

void WindowWeights::follow(Round t, WindowRecurrence& out) const {
    out.keep = 1;
    out.of_sum = 0;
    out.is_swap = false;
    out.records.clear();
    form_->follow(t, out);
    if (lag_) {
        add_lag(*lag_, out);
    } else if (form_->length() == 1) {
        out.keep = out.of_sum = 0;
        out.records = {{0, form_->newest(t)}};
    }
}

WindowWeights WindowWeights::forecast_window(const ForecastRule& asked) const {
    using Kind = ForecastRule::Kind;
    const ForecastRule rule = asked.for_window(*this);
    if (rule.kind == Kind::previous) return *this;
    const bool season = rule.kind == Kind::season;
    if (season && varies()) refuse_rule(rule, *this, "a running mean has no season");
    std::shared_ptr<const WindowForm> rest = form_->rest(rule.kind == Kind::mean);
    if (rest) {
        WindowWeights window(std::move(rest), rule.text());
        if (season) window.lag_ = WeightedAge{rule.lag - 1, form_->newest(1)};
        return window;
    }
    if (rule.kind == Kind::mean) return *this;
    if (season) {
        // The seasonal record is all there is.
        std::vector<Real> single(rule.lag);
        single.back() = form_->newest(1);
        return listed(std::move(single));
    }
    refuse_rule(rule, *this,
                varies() ? "right after a restart nothing would be left; keep at least 2"
                         : "the window has no record but the one to come");
}

}  // namespace proxstream
