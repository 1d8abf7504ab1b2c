/// What a run states before its first round and after its last: together with the round reports these are all
/// the facts a certificate is made of.
#pragma once

#include "proxstream/core/noise_facts.hpp"
#include "proxstream/core/round_report.hpp"  // Closing lives there: learners hand it out, and they may not see regret/
#include "proxstream/core/types.hpp"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace proxstream {

inline constexpr std::uint64_t kLedgerVersion = 6;

/// How the inner updates choose their steps; it decides which decrease and which count are promised.
enum class StepRule : std::uint8_t {
    fixed,         // every update uses eta; the decrease rests on the declared L (Theorem 3')
    backtracking,  // a step is accepted by its own sufficient-decrease test (T3)
    none,          // a baseline: neither decrease nor count is promised
};

enum class RunEnding : std::uint8_t { finished, interrupted, refused, failed };

std::string_view name(StepRule rule);
std::string_view name(RunEnding ending);

struct RunHeader {
    std::vector<std::pair<std::string, std::string>>
        settings;                    // free text, carried for the reader's eyes only
    std::string name;                // of a member of a bank
    Index dimension = 0;             // n
    Index window = 1;                // w: records the judge S_t reaches back to
    std::string window_text = "1";   // its weights, as the user names them
    Real effective_length = 1;       // w_a = 2 / TV of its weights; w for a box
    std::string model = "previous";  // what a round solves
    Real hysteresis = 1;             // theta: a round that works goes on to theta rho
    Real switching = 0;              // kappa of the l1 penalty on moves
    Real reference_step = 1;         // eta, of the residuals and the exit test
    std::optional<Real> smoothness;  // L as declared; absent: 1/eta is claimed
    StepRule step_rule = StepRule::none;
    Real acceptance = 1;           // lambda in (0, 2), of backtracking
    Real initial_residual = 0;     // r_0 = |P(x_1; grad Q_1)|; Q_1 = 0 unless the window begins filled
    Real initial_objective = 0;    // Q_1(x_1) + g(x_1); +infinity when x_1 lies outside dom g
    Index initial_records = 0;     // in the window before the first round
    Real regulariser_infimum = 0;  // inf g; may be -infinity
    Real prox_scale = 0;           // size of the constants in g's prox: what it rounds at beside |v|
    bool exit_test = false;        // does the learner promise r_t <= delta_t / w?
    std::optional<std::uint64_t> max_steps;  // budget a round, where there is one
    std::optional<Real> max_seconds;
    std::vector<Index> other_windows;  // windows whose residuals are measured beside
    std::optional<NoiseFacts> noise;   // of a run with sampled gradients
    std::string play;                  // how a bank picks its member; empty: this is no bank
    std::vector<RunHeader> members;    // of a bank, one each

    /// L as declared, or the 1/eta that choosing eta claims.
    Real claimed_smoothness() const { return smoothness ? *smoothness : 1 / reference_step; }

    /// gamma = eta (1 - eta L / 2): what a fixed step is worth. Nothing is promised unless it is positive.
    Real fixed_gain() const { return reference_step * (1 - reference_step * claimed_smoothness() / 2); }

    /// Is the window a plain mean of its records? Then w_a is w.
    bool box() const { return effective_length == static_cast<Real>(window); }

    /// How far the switching penalty may push a true residual beyond the tested one: kappa sqrt(n).
    Real switching_push() const { return switching * std::sqrt(static_cast<Real>(dimension)); }

    /// Throws ConfigError with every field that cannot be.
    void validate() const;

    friend bool operator==(const RunHeader&, const RunHeader&) = default;
};

/// What may be known of a round beyond its report.
struct RowExtras {
    ConstView
        other_residuals;  // |P(x_t; grad S_{t,w'}(x_t))| for each w' of the header; empty in refused rounds
    std::optional<Real> prediction_loss;  // loss of the prediction made before learning
    const BankRound* bank = nullptr;      // of a bank: all its members' rounds
};

struct RunTotals {
    Round rounds = 0;   // T: rounds that entered the sums
    Round refused = 0;  // rounds that did not
    std::uint64_t steps = 0;
    Cost cost;
    Cost referee_cost;

    friend bool operator==(const RunTotals&, const RunTotals&) = default;
};

struct RunFooter {
    RunTotals totals;
    Real final_regulariser = 0;       // g(x_{T+1})
    std::vector<Real> final_losses;   // f_i(x_{T+1}) of the records in the model, oldest first
    std::vector<Real> final_weights;  // theirs: Q_{T+1}(x_{T+1}) is the weighted sum
    std::vector<RunFooter> members;   // of a bank, one each
    RunEnding ending = RunEnding::finished;
    Real seconds = 0;  // steady clock

    friend bool operator==(const RunFooter&, const RunFooter&) = default;
};

}  // namespace proxstream
