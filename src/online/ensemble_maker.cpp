/// An ensemble from its text: which members, on one store.
#include "online/ensemble.hpp"
#include "online/learner_arguments.hpp"
#include "online/linear_rules.hpp"
#include "window/shared_batch.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {
namespace {

/// What an ensemble is made of unless its text says otherwise.
constexpr Index kLongestMember = 1024;
constexpr Index kLongestPossible = 10'000'000;
constexpr Index kRatio = 4;
constexpr std::uint64_t kMemberSteps = 4;  // about one pass a round is where windows pay best
/// Record gradients a round, saved up: long windows work less often. Beside recursive least squares, which
/// has the long memory, a quarter is enough.
constexpr Real kMemberEffort = 128;
constexpr Real kEffortBesideSquares = 32;
/// Recursive least squares costs n^2 a row: up to here less than a window's gradients.
constexpr Index kLargestSquare = 85;
constexpr std::string_view kCheapMembers = "adagrad:0.1/adagrad:1";
/// Of linear models. A learning rate of 1 is too large there as often as not, and coin betting needs none.
constexpr std::string_view kCheapLinear = "adagrad:0.1/coin";
constexpr std::string_view kSquares = "/rls:inf/rls:500/rls:100";
constexpr std::string_view kLastValue = "/last-value";

/// Whether recursive least squares is one of the usual members.
bool has_squares(const LearnerConfig& parts, bool mean) {
    return mean && parts.linear && squares_fit(*parts.linear) && parts.start.size() <= kLargestSquare;
}

/// The members beside the windows: those that fit the losses and are not too dear for the dimension.
std::string usual_members(const LearnerConfig& parts, bool mean) {
    if (!parts.linear || !mean) return std::string(kCheapMembers);
    std::string members(kCheapLinear);
    if (has_squares(parts, mean)) members += kSquares;
    if (parts.last_value) members += kLastValue;
    return members;
}

bool yes_or_no(const Spec& spec, const char* key, bool fallback) {
    const std::string text = spec.word_or(key, fallback ? "yes" : "no");
    require(spec, text == "yes" || text == "no", std::string(key) + " is yes or no");
    return text == "yes";
}

/// The members' window texts, by length.
std::vector<std::string> member_windows(const Spec& spec) {
    std::vector<std::string> texts;
    if (spec.has("windows")) {
        require(spec, !spec.has("longest") && !spec.has("ratio"),
                "give the windows, or the longest one and the ratio");
        for (const std::string& text :
             split_outside_parentheses(spec.word(Spec::kByNameOnly, "windows"), '/')) {
            require(spec, !text.empty(), "an ensemble needs at least one window, and no empty ones");
            texts.push_back(without_shield(text));
        }
    } else {
        const Index ratio = spec.count_or("ratio", kRatio);
        require(spec, ratio >= 2, "ratio must be at least 2");
        const Index longest = spec.count_or("longest", kLongestMember);
        require(spec, longest <= kLongestPossible, "longest must be at most 10000000");
        for (Index length = longest; length > 0; length /= ratio) {
            texts.insert(texts.begin(), std::to_string(length));
        }
    }
    std::vector<WindowWeights> windows;
    for (const std::string& text : texts) {
        require(spec, !is_auto(text), "an ensemble cannot hold an ensemble");
        windows.push_back(WindowWeights::parse(text));
        for (Index i = 0; i + 1 < windows.size(); ++i) {
            require(spec, windows[i].text() != windows.back().text(),
                    "the window " + text + " is there twice; equal members tell nothing apart");
        }
    }
    std::stable_sort(texts.begin(), texts.end(), [](const std::string& a, const std::string& b) {
        return WindowWeights::parse(a).effective_length() < WindowWeights::parse(b).effective_length();
    });
    return texts;
}

std::vector<std::string> cheap_members(const Spec& spec, const std::string& usual) {
    std::vector<std::string> texts;
    const std::string list = spec.word_or("also", usual);
    if (list == "none") return texts;
    for (const std::string& each : split_outside_parentheses(list, '/')) {
        const std::string text = without_shield(each);
        require(spec, std::find(texts.begin(), texts.end(), text) == texts.end(),
                "the member " + text + " is there twice; equal members tell nothing apart");
        require(spec, !text.empty(), "also= names learners, or none");
        const Spec own = Spec::parse(text);
        const bool nested = own.has("window") && is_auto(own.word(Spec::kByNameOnly, "window"));
        require(spec, own.name() != "ensemble" && !nested, "an ensemble cannot hold an ensemble");
        texts.push_back(text);
    }
    return texts;
}

EnsembleOptions read_options(const Spec& spec, const LearnerConfig& parts, bool noisy) {
    const std::string usual = !parts.selection.empty()   ? parts.selection
                              : parts.averages && !noisy ? "mean"
                                                         : "draw";
    EnsembleOptions options;
    options.selection =
        Selection::parse(spec.has("selection") ? spec.word(Spec::kByNameOnly, "selection") : usual);
    require(spec, !(options.selection.mean && noisy),
            "selection=mean needs exact losses; there is an oracle");
    // A start at another member's point takes a comparison of values, which estimates do not give.
    options.cross_start = yes_or_no(spec, "cross", !noisy);
    require(spec, !noisy || !options.cross_start, "cross=yes needs exact values; there is an oracle");
    options.restarts = !noisy;
    options.seed = parts.seed;
    return options;
}

/// A member with a window.
struct MemberPlan {
    std::string learner, window, name;
};

std::unique_ptr<AnyLearner> make_member(const MemberPlan& plan, LearnerConfig parts,
                                        BatchFactory make_batch) {
    parts.window = plan.window;
    parts.make_batch = std::move(make_batch);
    if (WindowWeights::parse(plan.window).length() == 1) {
        // A window of one record has nothing left without the loss to come.
        if (parts.model.kind == ForecastRule::Kind::zero || parts.model.kind == ForecastRule::Kind::record)
            parts.model = {};
        // A few steps on one record cannot run away, and held back they follow too slowly.
        if (!parts.proximal.named) parts.proximal.named = 0;
    }
    return make_learner(plan.learner, std::move(parts));
}

}  // namespace

std::unique_ptr<AnyLearner> make_ensemble(const Spec& spec, LearnerConfig parts) {
    read_solver_arguments(spec, parts);
    const bool noisy = is_noisy(parts);
    EnsembleOptions options = read_options(spec, parts, noisy);
    const bool mean = options.selection.mean.has_value();
    if (parts.effort == kInfinity && !spec.has("effort") && !noisy)
        parts.effort = has_squares(parts, mean) ? kEffortBesideSquares : kMemberEffort;
    parts.budget.max_steps =
        std::min<std::uint64_t>(parts.budget.max_steps, spec.count_or("steps", kMemberSteps));

    EnsembleMembers members;
    std::vector<MemberPlan> plans;
    // First-order members evaluate losses exactly, so they have no place beside sampled ones.
    for (const std::string& text : cheap_members(spec, noisy ? "none" : usual_members(parts, mean))) {
        // A member that may be played alone is measured by the newest loss, which is all it sees.
        auto point = mean ? make_point_learner(text, parts) : nullptr;
        if (point == nullptr) {
            plans.push_back({text, "1", text});
            continue;
        }
        members.points.push_back(std::move(point));
        members.names.push_back(text);
    }
    for (const std::string& window : member_windows(spec)) plans.push_back({"time-smoothed", window, window});

    // The members share a store that is made once the longest window is known.
    auto store = std::make_shared<AnyBatch>(NoRecords{});
    Index capacity = 1;
    const BatchFactory share = [&](Index asked) {
        capacity = std::max(capacity, asked);
        return AnyBatch(SharedBatch(store));
    };
    const BatchFactory make_batch = parts.make_batch;
    if (!parts.make_own_batch) parts.make_own_batch = make_batch;
    for (const MemberPlan& plan : plans) {
        members.windows.push_back(make_member(plan, parts, share));
        members.references.push_back(WindowWeights::parse(members.windows.back()->facts().window_text));
        members.names.push_back(plan.name);
    }
    *store = make_batch(capacity);
    return std::make_unique<Ensemble>(std::move(parts.g), std::move(store), std::move(members),
                                      std::move(options));
}

}  // namespace proxstream
