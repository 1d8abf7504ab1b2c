#include "run/target_rule.hpp"

#include "io/parse_number.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

constexpr Index kClassesListed = 20;

}  // namespace

std::vector<std::string> TargetRule::violations() const {
    std::vector<std::string> found;
    if (kind == TargetKind::sign && !classes.empty() && classes.size() != 2) {
        found.push_back("--classes: " + std::to_string(classes.size()) +
                        " names given, a two-class loss needs exactly 2 (negative,positive)");
    }
    if (kind == TargetKind::category && classes.empty() && class_count < 2) {
        found.emplace_back("--classes: name the classes, or give their number (2 or more)");
    }
    if (kind == TargetKind::category && classes.size() == 1) {
        found.emplace_back("--classes: 1 name given, at least 2 are needed");
    }
    if (kind == TargetKind::number && !classes.empty()) {
        found.emplace_back("--classes: the target of this loss is a number, it has no classes");
    }
    for (auto name = classes.begin(); name != classes.end(); ++name) {
        if (name->empty()) found.emplace_back("--classes: a class name is empty");
        if (std::find(classes.begin(), name, *name) != name) {
            found.push_back("--classes: '" + *name + "' is named twice");
        }
    }
    return found;
}

bool TargetParser::parse_sign(Real value, Real& target) {
    if (value == 1) {
        target = 1;
        return true;
    }
    if ((value != 0 && value != -1) || (negative_ != 1 && value != negative_)) return false;
    negative_ = value;
    target = -1;
    return true;
}

bool TargetParser::parse_class(std::string_view label, Index& place) const {
    const auto match = std::find(rule_.classes.begin(), rule_.classes.end(), label);
    place = static_cast<Index>(match - rule_.classes.begin());
    if (match != rule_.classes.end()) return true;
    // "+1" and "1.0" are the class "1".
    Real number = 0;
    if (!parse_whole_number(label, number)) return false;
    for (place = 0; place < rule_.classes.size(); ++place) {
        Real named = 0;
        if (parse_whole_number(rule_.classes[place], named) && named == number) return true;
    }
    return false;
}

bool TargetParser::parse(std::string_view label, Real& target) {
    if (rule_.kind == TargetKind::none) {
        target = 0;
        return true;
    }
    label = without_blanks(label);
    if (!rule_.classes.empty()) {
        Index place = 0;
        if (!parse_class(label, place)) return false;
        target = static_cast<Real>(place);
        if (rule_.kind == TargetKind::sign) target = place == 0 ? -1 : 1;
        return true;
    }
    Real number = 0;
    if (!parse_whole_number(label, number)) return false;
    if (rule_.kind == TargetKind::sign) return parse_sign(number, target);
    if (rule_.kind == TargetKind::category &&
        (number < 0 || number >= static_cast<Real>(rule_.class_count) || number != std::floor(number))) {
        return false;
    }
    target = number;
    return true;
}

std::string TargetParser::allowed() const {
    if (!rule_.classes.empty()) {
        std::string list = "one of the classes";
        for (Index i = 0; i < std::min(rule_.classes.size(), kClassesListed); ++i) {
            list += (i == 0 ? " " : ", ") + rule_.classes[i];
        }
        if (rule_.classes.size() > kClassesListed) list += ", ...";
        return list;
    }
    switch (rule_.kind) {
        case TargetKind::sign:
            if (negative_ == 0) return "0 or 1, as in the rows before (other names: --classes NEG,POS)";
            if (negative_ == -1) return "-1 or 1, as in the rows before (other names: --classes NEG,POS)";
            return "-1 or 1, or 0 or 1 (other names: --classes NEG,POS)";
        case TargetKind::category:
            return "an integer from 0 to " + std::to_string(rule_.class_count - 1) +
                   " (other names: --classes A,B,...)";
        default:
            return "a finite number";
    }
}

}  // namespace proxstream
