/// Claims of the paper with a set-up in which they fail: claimed, measured and corrected figures. The
/// arguments are in docs/theory.md.
#pragma once

#include "studies/study.hpp"

#include <optional>
#include <string>
#include <vector>

namespace proxstream {

inline Real square(Real value) {
    return value * value;
}

/// One test of a claim.
struct Trial {
    std::optional<Real> claimed = {};  // nullopt: the paper states no figure
    Real measured = 0;
    std::optional<Real> corrected = {};  // what is proved instead, if anything
};

/// A range, of a slope or of what is measured.
struct Bounds {
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
    bool random = false;                        // differs from seed to seed
    bool identity = false;                      // measured must equal corrected, not only stay below it
    std::string paper = {};                     // its statement in words, without a figure
    std::optional<Real> least_ratio = {};       // measured over claimed, at the last value
    std::optional<Bounds> ratio_slope = {};     // of measured over claimed against the parameter
    std::optional<Bounds> measured_slope = {};  // likewise, of what is measured
    std::optional<Bounds> range = {};           // of what is measured, at every value
    Trial (*run)(Index value, Cell& cell);
    bool proved = true;  // something is proved instead
};

std::vector<Erratum> exact_errata(bool full);
std::vector<Erratum> sampled_errata(bool full);
std::vector<Erratum> other_errata(bool full);

}  // namespace proxstream
