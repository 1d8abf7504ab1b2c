/// Turns the text of a label into the target of a row.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/target_kind.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// A sign is -1/1, 0/1 or one of the two names in `classes`. A category is a name in `classes`, or an integer
/// if only their number is known. Without a target, the value is 0.
struct TargetRule {
    TargetKind kind = TargetKind::number;
    std::vector<std::string> classes;  // for sign: negative, positive
    Index class_count = 0;             // for category without names

    /// What is wrong with the rule, for ConfigError; empty: nothing.
    std::vector<std::string> violations() const;
};

/// Reads labels by a rule. Remembers the number of the negative class, because a stream with both 0 and -1
/// has three classes.
class TargetParser {
  public:
    explicit TargetParser(TargetRule rule) : rule_(std::move(rule)) {}

    Real negative_label() const noexcept { return negative_ == 0 ? 0 : -1; }
    const TargetRule& rule() const noexcept { return rule_; }
    /// Returns false for an unknown label, and leaves `target` unchanged.
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
