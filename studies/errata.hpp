/// What the paper claims, and a set-up in which the claim fails: claimed, measured and corrected side by
/// side. The arguments are in docs/theory.md; each erratum is small enough to be read against its set-up.
#pragma once

#include "studies/study.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

inline Real square(Real value) {
    return value * value;
}

/// One claim put to the test once.
struct Trial {
    std::optional<Real> claimed = {};  // nothing where the paper states no figure
    Real measured = 0;
    std::optional<Real> corrected = {};  // what is proved in its place, if anything is
};

/// A range, of a slope or of what is measured.
struct Range {
    Real low = 0;
    Real high = 0;
};

struct Erratum {
    std::string group;
    std::string name;
    std::string quantity;  // what is claimed and measured
    std::string set_up;
    std::string parameter = {};  // what `values` are: "T", "w"
    std::vector<Index> values = {1};
    bool random = false;                       // differs from seed to seed
    bool identity = false;                     // measured is to equal corrected, not to stay below it
    std::string paper = {};                    // what it says in words, where it states no figure
    std::optional<Real> least_ratio = {};      // measured over claimed, at the last value
    std::optional<Range> ratio_slope = {};     // of measured over claimed against the parameter
    std::optional<Range> measured_slope = {};  // likewise, of what is measured
    std::optional<Range> range = {};           // of what is measured, at every value
    Trial (*run)(Index value, Cell& cell);
    bool proved = true;  // something is proved in its place
};

std::vector<Erratum> exact_errata(bool full);
std::vector<Erratum> sampled_errata(bool full);
std::vector<Erratum> other_errata(bool full);

}  // namespace proxstream
