#include "proxstream/core/round_report.hpp"

#include "proxstream/core/linalg.hpp"

#include <array>
#include <cmath>

namespace proxstream {
std::string_view name(RoundStatus status) {
    constexpr std::array<std::string_view, 5> kNames{"quiet", "solved", "budget_exhausted", "moved",
                                                     "refused"};
    return kNames[static_cast<Index>(status)];
}

void note_movement(ConstView from, ConstView to, RoundReport& report) {
    report.movement = distance(to, from);
    report.movement_one = 0;
    report.changed = 0;
    for (Index i = 0; i < to.size(); ++i) {
        const Real moved = std::abs(to[i] - from[i]);
        report.movement_one += moved;
        report.changed += moved > 0 ? 1 : 0;
    }
}

}  // namespace proxstream
