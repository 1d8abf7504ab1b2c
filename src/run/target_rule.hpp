/// How the text of a label becomes the target of a row.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/target_kind.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// A sign is written -1/1, 0/1 or by the two names of `classes`; a category by its place in `classes`, or as
/// the integer itself when only a count is known; without a target the value is 0.
struct TargetRule {
    TargetKind kind = TargetKind::number;
    std::vector<std::string> classes;  // for sign: negative, positive
    Index class_count = 0;             // for category without names

    /// What is wrong with the rule itself, for ConfigError; empty when usable.
    std::vector<std::string> violations() const;
};

/// Reads labels by a rule. Remembers how the negative class is written, because a stream that uses both
/// 0 and -1 has three classes.
class TargetParser {
  public:
    explicit TargetParser(TargetRule rule) : rule_(std::move(rule)) {}

    Real negative_label() const noexcept { return negative_ == 0 ? 0 : -1; }
    const TargetRule& rule() const noexcept { return rule_; }
    /// False if the rule does not know the label; `target` is then untouched.
    bool parse(std::string_view label, Real& target);
    /// How the negative class was written so far.
    void serialise(StateArchive& archive) { archive.field("negative class", negative_); }
    /// What parse() accepts, for error messages.
    std::string allowed() const;

  private:
    bool parse_sign(Real value, Real& target);
    bool parse_class(std::string_view label, Index& place) const;

    TargetRule rule_;
    Real negative_ = 1;  // -1 or 0 once seen
};

}  // namespace proxstream
