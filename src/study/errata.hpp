/// What the paper claims and a set-up in which it fails: claimed, measured and corrected side by side. The
/// arguments are in docs/theory.md; each erratum here is small enough to be read against its set-up.
#pragma once

#include "study/study.hpp"

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
    CellResult cell = {};  // notes, and whether the run was cut short; its measurements are not used
};

/// How a figure has to grow with the parameter: its slope on logarithmic axes.
struct Growth {
    bool of_ratio = true;  // measured over claimed; else measured itself
    Real low = 0;
    Real high = 0;
};

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
    bool random = false;                   // differs from seed to seed
    bool proved = true;                    // something is proved in its place
    bool identity = false;                 // measured is to equal corrected, not to stay below it
    std::string paper = {};                // what it says in words, where it states no figure
    std::optional<Real> least_ratio = {};  // measured over claimed, at the last value
    std::optional<Growth> growth = {};
    std::optional<Range> range = {};  // of what is measured, at every value
    std::function<Trial(Index value, std::uint64_t seed, StopFlag stop)> run;

    std::string row(Index value) const;  // "Theorem 3, T = 1000"
};

std::vector<Erratum> exact_errata(StudyPreset preset);
std::vector<Erratum> sampled_errata(StudyPreset preset);
std::vector<Erratum> application_errata();
/// Of one fixed loss: a study of its own.
std::vector<Erratum> offline_errata(StudyPreset preset);

/// Corollary 2's, which belongs to both.
Erratum fitted_erratum(StudyPreset preset);
inline constexpr Real kFittedPhase = 0.8;  // a

}  // namespace proxstream
