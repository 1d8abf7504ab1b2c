/// What a certificate needs to know of a learner and its run before the first round.
#pragma once

#include "proxstream/core/noise_facts.hpp"
#include "proxstream/core/types.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

/// How the inner updates choose their steps. It decides which decrease and which number of updates are
/// promised (C4, C6).
///
/// \code
/// const bool counted = certificate.header.step_rule != StepRule::none;
/// \endcode
enum class StepRule : std::uint8_t {
    fixed,         ///< every update uses eta; the decrease rests on the declared L (Theorem 3')
    backtracking,  ///< a step is accepted by its own sufficient-decrease test (T3)
    none,          ///< a baseline: neither decrease nor number of updates is promised
};

/// What a run states before its first round: window, reference step, promises and settings. A learner
/// fills in what it knows; it is the first line of a ledger, and the certificate judges the run by it.
///
/// \code
/// const RunHeader& header = certificate.header;
/// std::cout << "window " << header.window_text << ", reference step " << header.reference_step << '\n';
/// \endcode
struct RunHeader {
    std::vector<std::pair<std::string, std::string>>
        settings;                    ///< names and texts of the settings, for information only
    std::string name;                ///< of a member of an ensemble; else empty
    Index dimension = 0;             ///< n
    Index window = 1;                ///< w: number of records that the judge S_t uses
    std::string window_text = "1";   ///< the window as the user wrote it
    Real effective_length = 1;       ///< w_a = 2 / TV of the window's weights; w for a plain mean
    std::string model = "previous";  ///< the forecast that a round solves
    Real hysteresis = 1;             ///< theta: a round that updates the point reduces the gap to theta rho
    Real switching = 0;              ///< kappa of the 1-norm penalty on moves
    Real proximal = 0;               ///< mu of the proximal term (mu/2) |x - x_t|^2
    Real reference_step = 1;         ///< eta, of the stationarity gaps and the exit test
    std::optional<Real> smoothness;  ///< L as declared; absent: 1/eta is claimed
    StepRule step_rule = StepRule::none;  ///< how the inner updates choose their steps
    Real acceptance = 1;                  ///< lambda in (0, 2), of backtracking
    Real initial_gap = 0;          ///< r_0 = |P(x_1; grad Q_1)|; Q_1 = 0 unless the window starts filled
    Real initial_objective = 0;    ///< Q_1(x_1) + g(x_1); +infinity if x_1 lies outside dom g
    Index initial_records = 0;     ///< records in the window before the first round
    Real regulariser_infimum = 0;  ///< inf g; may be -infinity
    Real prox_scale = 0;     ///< magnitude of the constants in g's prox, which bounds its rounding error
    bool exit_test = false;  ///< whether the learner promises r_t <= delta_t / w
    bool measured = true;    ///< false: a member of an ensemble that has no window, only a loss
    std::optional<std::uint64_t> max_steps;  ///< most steps of a round, if limited
    std::optional<Real> max_seconds;         ///< most seconds of a round, if limited
    std::vector<Index> other_windows;        ///< further windows whose gaps are measured
    std::optional<NoiseFacts> noise;         ///< of a run with sampled gradients
    std::string selection;                   ///< selection rule of an ensemble; empty: not an ensemble
    std::vector<RunHeader> members;          ///< of an ensemble; those without a window come first

    /// Members of an ensemble without a window.
    Index points() const {
        return static_cast<Index>(std::count_if(members.begin(), members.end(),
                                                [](const RunHeader& member) { return !member.measured; }));
    }
    /// L as declared, or the 1/eta that the choice of eta implies.
    Real claimed_smoothness() const { return smoothness ? *smoothness : 1 / reference_step; }

    /// gamma = eta (1 - eta L / 2): the decrease that a fixed step proves is gamma |P|^2. Nothing is promised
    /// unless it is positive.
    Real fixed_gain() const { return reference_step * (1 - reference_step * claimed_smoothness() / 2); }

    /// Whether the window is a plain mean of its records; then w_a = w.
    bool box() const { return effective_length == static_cast<Real>(window); }

    /// Whether a round pays for leaving x_t.
    bool priced() const { return switching > 0 || proximal > 0; }

    /// kappa sqrt(n): the most that the switching penalty can add to the true gap beyond the tested one.
    Real switching_push() const { return switching * std::sqrt(static_cast<Real>(dimension)); }

    /// The largest gap of g alone at the end of a round that moved so far, if the gap with both penalties in
    /// g was `tested`: (1 + eta mu) tested + mu |x_{t+1} - x_t| + kappa sqrt(n).
    Real gap_behind(Real tested, Real movement) const {
        return (1 + reference_step * proximal) * tested + proximal * movement + switching_push();
    }

    friend bool operator==(const RunHeader&, const RunHeader&) = default;
};

}  // namespace proxstream
