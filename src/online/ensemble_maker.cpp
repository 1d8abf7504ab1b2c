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

using Batch = AnyBatch;

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
    return mean && parts.linear && RecursiveLeastSquares::fits(*parts.linear) &&
           parts.start.size() <= kLargestSquare;
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
            require(spec, !text.empty(), "a bank needs at least one window, and no empty ones");
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
        require(spec, !is_auto(text), "a bank cannot hold a bank");
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
        require(spec, own.name() != "bank" && !nested, "a bank cannot hold a bank");
        texts.push_back(text);
    }
    return texts;
}

}  // namespace

std::unique_ptr<AnyLearner> make_ensemble(const Spec& spec, LearnerConfig parts) {
    read_solver_arguments(spec, parts);
    const bool noisy = is_noisy(parts);
    const std::string usual_selection = !parts.selection.empty()   ? parts.selection
                                        : parts.averages && !noisy ? "mean"
                                                                   : "draw";
    EnsembleOptions options;
    options.selection =
        Selection::parse(spec.has("selection") ? spec.word(Spec::kByNameOnly, "selection") : usual_selection);
    const bool mean = options.selection.mean.has_value();
    require(spec, !(mean && noisy), "selection=mean needs exact losses; there is an oracle");
    // To start from another's point takes a comparison of values, which estimates do not give.
    options.cross_start = yes_or_no(spec, "cross", !noisy);
    require(spec, !noisy || !options.cross_start, "cross=yes needs exact values; there is an oracle");
    options.restarts = !noisy;
    options.seed = parts.seed;
    if (parts.effort == kInfinity && !spec.has("effort") && !noisy)
        parts.effort = has_squares(parts, mean) ? kEffortBesideSquares : kMemberEffort;
    parts.budget.max_steps =
        std::min<std::uint64_t>(parts.budget.max_steps, spec.count_or("steps", kMemberSteps));

    struct Plan {
        std::string learner, window, name;
    };
    EnsembleMembers members;
    std::vector<Plan> plans;
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
    const auto make = [&parts](const Plan& plan, const BatchFactory& make_batch) {
        LearnerConfig own = parts;
        own.window = plan.window;
        own.make_batch = make_batch;
        // A window of one record has nothing left once the loss to come is taken out of it.
        const bool bare =
            own.model.kind == ForecastRule::Kind::zero || own.model.kind == ForecastRule::Kind::record;
        if (WindowWeights::parse(plan.window).length() == 1) {
            if (bare) own.model = {};
            // A few steps on one record cannot run away, and held back they follow too slowly.
            if (!own.proximal.named) own.proximal.named = 0;
        }
        return make_learner(plan.learner, std::move(own));
    };

    // Once without records, to learn how many the longest of them asks for; then on one store of that size.
    Index capacity = 1;
    for (const Plan& plan : plans) {
        make(plan, [&capacity](Index asked) {
            capacity = std::max(capacity, asked);
            return Batch(NoRecords{});
        });
    }
    auto store = std::make_shared<Batch>(parts.make_batch(capacity));
    if (!parts.make_own_batch) parts.make_own_batch = parts.make_batch;
    for (const Plan& plan : plans) {
        members.windows.push_back(
            make(plan, [&store](Index /*asked*/) { return Batch(SharedBatch<Batch>(store)); }));
        members.references.push_back(WindowWeights::parse(members.windows.back()->facts().window_text));
        members.names.push_back(plan.name);
    }
    return std::make_unique<Ensemble>(std::move(parts.g), std::move(store), std::move(members),
                                      std::move(options));
}

}  // namespace proxstream
