#include "proxstream/regret/run_record.hpp"

#include "proxstream/core/error.hpp"

#include "ledger_fields.hpp"

#include <algorithm>
#include <array>
#include <type_traits>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Collects what a header cannot be; `who` names it, an ensemble or one of its members.
class HeaderCheck {
  public:
    HeaderCheck(std::string who, std::vector<std::string>& violations)
        : who_(std::move(who)), violations_(violations) {}

    template <class Number>
    requires std::is_arithmetic_v<Number>
    void operator()(Key key, Number value, const Range& range) {
        if (!range.holds(static_cast<Real>(value))) refuse(key, value, range.words);
    }
    template <class Number>
    void operator()(Key key, const std::optional<Number>& value, const Range& range) {
        if (value) (*this)(key, *value, range);
    }
    void operator()(Key key, const std::vector<Index>& values, const Range& range) {
        for (const Index value : values) (*this)(key, value, range);
    }
    template <class Other>
    void operator()(Key /*key*/, const Other& /*value*/) {}
    template <class Value, class Values>
    void named(Key /*key*/, Value /*value*/, const Values& /*values*/) {}
    template <class List>
    void object(Key /*key*/, const std::optional<NoiseFacts>& noise, const List& list) {
        if (!noise) return;
        list(*this, *noise);
        if (!noise->fresh() && noise->variant != "paper") refuse("variant", noise->variant, "fresh or paper");
        if (noise->estimator != "sample" && noise->estimator != "spider")
            refuse("estimator", noise->estimator, "sample or spider");
    }
    template <class Value>
    void refuse(Key key, const Value& value, std::string_view allowed) {
        violations_.push_back(fmt::format("{}: {} is {}; allowed: {}", who_, key.name, value, allowed));
    }

  private:
    std::string who_;
    std::vector<std::string>& violations_;
};

void find_violations(const RunHeader& header, const std::string& who, std::vector<std::string>& violations) {
    HeaderCheck check(who, violations);
    kHeaderFields(check, header);
    if (header.selection.empty() != header.members.empty())
        check.refuse(
            "the number of members", header.members.size(),
            header.selection.empty() ? "0, for a run that is no ensemble" : "at least 1, for an ensemble");
}

}  // namespace

std::string_view name(StepRule rule) {
    constexpr std::array<std::string_view, 3> kNames{"fixed", "backtracking", "none"};
    return kNames[static_cast<Index>(rule)];
}

std::string_view name(RunEnding ending) {
    constexpr std::array<std::string_view, 4> kNames{"finished", "interrupted", "refused", "failed"};
    return kNames[static_cast<Index>(ending)];
}

void validate(const RunHeader& header) {
    std::vector<std::string> violations;
    find_violations(header, "run header", violations);
    for (Index k = 0; k < header.members.size(); ++k) {
        const RunHeader& member = header.members[k];
        const std::string who = fmt::format("run header of member {}", k + 1);
        find_violations(member, who, violations);
        if (member.measured != (k >= header.points()))
            violations.push_back(who + ": it has no window; allowed: such members come first");
        if (!member.members.empty()) violations.push_back(who + ": an ensemble cannot be a member");
        if (!member.other_windows.empty())
            violations.push_back(who + ": other windows are measured for the whole ensemble only");
        if (member.dimension != header.dimension) {
            violations.push_back(fmt::format("{}: dimension is {}; allowed: {}, the ensemble's", who,
                                             member.dimension, header.dimension));
        }
    }
    if (!header.members.empty() && header.points() == header.members.size())
        violations.emplace_back("run header: no member has a window; allowed: at least one");
    if (!violations.empty()) throw ConfigError(std::move(violations));
}

}  // namespace proxstream
