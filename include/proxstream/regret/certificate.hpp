/// What a run proves: each inequality of the theory with its two sides and a verdict (docs/certificate.md).
#pragma once

#include "proxstream/core/round_report.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/regret/run_record.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

enum class Verdict : std::uint8_t {
    holds,              // whatever rounding did to the two sides
    holds_to_rounding,  // the two sides agree within what rounding may have done, and that is little
    undecided,          // rounding may have done so much that neither side can be called the larger one
    violated,
    not_promised,    // the learner did not promise it, or not in every round
    not_applicable,  // this run has nothing to compare
    missed,          // promised with a probability or in the mean only, and not met by this run
    stated,          // promised with a probability; nobody measured the left side
};

std::string_view name(Verdict verdict);
/// Holds, or holds up to rounding.
constexpr bool kept(Verdict verdict) {
    return verdict == Verdict::holds || verdict == Verdict::holds_to_rounding;
}

/// left <= right, or left = right for an identity.
struct Inequality {
    std::string id;
    std::string statement;  // in words and symbols
    Real left = 0;
    Real right = 0;
    Real slack = 0;  // what rounding may have done to the two sides together
    bool identity = false;
    Round round = 0;  // where the two sides come closest, if it is checked round by round
    Verdict verdict = Verdict::not_applicable;
    std::string explanation = {};
    Real confidence = 1;  // how likely the promise is kept; 0: it is one about the mean over runs

    /// The verdict on the two sides: it holds if left + slack <= right, is violated if left - slack > right,
    /// and is close otherwise, which holds up to rounding where the slack is small against `scale`. A broken
    /// promise about a mean or a probability is missed, not violated.
    Verdict decide(Real scale) const;
    Real margin() const;  // right + slack - left; negative when violated
    Real ratio() const;   // left / right; 0 for 0/0

    friend bool operator==(const Inequality&, const Inequality&) = default;
};

/// A bound as the paper states it. Not proved; shown so that readers of the paper can see where it fails.
struct PaperClaim {
    std::string id;
    std::string statement;
    bool applicable = false;
    bool satisfied = false;
    Real left = 0;
    Real right = 0;
    std::string reason = {};  // why it is wrong in general
    bool condition = false;   // the two sides are what the claim asks for, not what it says

    friend bool operator==(const PaperClaim&, const PaperClaim&) = default;
};

struct OtherWindowRegret {
    Index window = 0;
    Real regret = 0;  // sum of squared residuals for that window
    friend bool operator==(const OtherWindowRegret&, const OtherWindowRegret&) = default;
};

/// How a bank played. What each member did is in its own certificate.
struct BankSummary {
    std::vector<Round> in_charge;  // rounds in which each member's point was played
    Round switches = 0;            // rounds in which another member took over
    Round mixed = 0;               // rounds in which a mean of the members was played
    Real weighted_loss = 0;        // sum <p_t, l_t> / T, l_t(k) = f_t + g at the point of member k
    Index best = 0;                // the member with the least sum of l_t, in hindsight

    friend bool operator==(const BankSummary&, const BankSummary&) = default;
};

/// What sampled gradients were like.
struct NoiseSummary {
    Real claimed = 0;         // root mean square of s_t
    Real first = 0;           // of |e|, the rounds' first estimates; 0 unless measured
    Real kept = 0;            // of those the rounds ended with, which were kept because they passed
    Round endless = 0;        // rounds with c aim_t^2 <= s_t^2: nothing guarantees an end of their loops
    Real smallest_delta = 0;  // there are none above it; 0 if no sigma was claimed

    friend bool operator==(const NoiseSummary&, const NoiseSummary&) = default;
};

struct RunSummary {
    RunTotals totals;
    bool measured = true;       // regret, variation and energy; if not, they are 0 and mean nothing
    Real regret = 0;            // Reg_w(T) = sum R_t^2, as measured
    Real regret_bound = 0;      // sum (R_t + its rounding)^2: the true regret is at most this
    Real variation = 0;         // Vpath = sum d_t^2
    Real energy = 0;            // E_T; of a bank, of all its members
    Real mean_loss = 0;         // of f_t(x_t)
    Real mean_objective = 0;    // of f_t(x_t) + g(x_t); infinite if x_t left dom g
    Real path_length = 0;       // sum |x_{t+1} - x_t|
    Real movement_one = 0;      // the same in the 1-norm
    std::uint64_t changed = 0;  // coordinates that changed, over all rounds
    std::uint64_t tests = 0;
    std::uint64_t cheap_steps = 0;
    std::uint64_t confirmations = 0;
    std::uint64_t failed_confirmations = 0;
    Round active = 0;  // rounds that worked
    Round quiet = 0;
    Round budget_exhausted = 0;
    Real largest_loss = 0;  // M: largest |f| seen
    std::vector<OtherWindowRegret> other_windows;
    std::optional<Real> prediction_loss;  // mean over the rounds that had one
    RunEnding ending = RunEnding::finished;
    Real seconds = 0;
    std::optional<BankSummary> bank;
    std::optional<NoiseSummary> noise;  // of sampled gradients

    Real mean_regret() const;  // Reg_w(T) / T; 0 for T = 0
    Real quiet_share() const;

    friend bool operator==(const RunSummary&, const RunSummary&) = default;
};

struct Certificate {
    RunHeader header;
    RunSummary summary;
    // C0..C7c and C9, with sampled gradients C10..C13 too; of a bank C1..C3c and C8
    std::vector<Inequality> inequalities;
    // Theorem 1, Theorem 3; with sampled gradients 2, 4 and 5; none of a bank
    std::vector<PaperClaim> paper_claims;
    std::vector<Certificate> members;  // of a bank, one each

    /// No inequality is violated, here or in a member. What is undecided proves nothing, and breaks nothing.
    bool sound() const;
    /// Throws Error if there is no such inequality.
    const Inequality& at(std::string_view id) const;

    friend bool operator==(const Certificate&, const Certificate&) = default;
};

/// A block for a terminal, at most 100 columns.
std::string to_text(const Certificate& certificate);
std::string to_json(const Certificate& certificate);
/// What was proved, in one sentence.
std::string conclusion(const Certificate& certificate);

}  // namespace proxstream
