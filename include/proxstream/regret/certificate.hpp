/// What a run proves: each inequality of the theory with both sides and a verdict (docs/certificate.md).
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

/// The outcome of checking one inequality. Only `violated` makes a certificate unsound.
///
/// \code
/// const Inequality& line = certificate.at("C1");
/// if (!kept(line.verdict)) std::cout << name(line.verdict) << ": " << line.explanation << '\n';
/// \endcode
enum class Verdict : std::uint8_t {
    holds,              ///< true whatever rounding did to the two sides
    holds_to_rounding,  ///< the sides agree within the rounding error, which is small
    undecided,          ///< the rounding error is too large to say which side is larger
    violated,           ///< false even if rounding is allowed for
    not_promised,       ///< the learner does not promise it, or not in every round
    not_applicable,     ///< this run has nothing to compare
    missed,             ///< promised with a probability or in the mean only, and not met by this run
    stated,             ///< promised with a probability; the left side was not measured
};

/// The verdict in words.
std::string_view name(Verdict verdict);
/// Whether the verdict is holds or holds_to_rounding.
constexpr bool kept(Verdict verdict) {
    return verdict == Verdict::holds || verdict == Verdict::holds_to_rounding;
}

/// One line of a certificate: an inequality left <= right (or an identity left = right) with both sides as
/// measured. The ids C0 to C13 are those of docs/certificate.md, G1 to G4 those of docs/games.md, F1 to F5
/// those of docs/fitting.md.
///
/// \code
/// for (const Inequality& line : certificate.inequalities)
///     std::cout << line.id << ": " << line.left << " <= " << line.right << ' ' << name(line.verdict) <<
///     '\n';
/// \endcode
struct Inequality {
    std::string id;         ///< "C0" to "C13"; "G1" to "G4" of a game, "F1" to "F5" of a fit
    std::string statement;  ///< the statement in words and symbols
    Real left = 0;          ///< left side, as measured
    Real right = 0;         ///< right side, as measured
    Real slack = 0;         ///< bound on the rounding error of both sides together
    bool identity = false;  ///< the statement is left = right
    Round round = 0;        ///< the round in which the sides come closest, if every round is checked; else 0
    Verdict verdict = Verdict::not_applicable;  ///< the outcome
    std::string explanation = {};               ///< why, where the verdict needs a reason
    Real confidence = 1;  ///< probability with which the promise is kept; 0: it concerns the mean over runs

    /// The verdict that the two sides give: holds if left + slack <= right, violated if left - slack > right
    /// (missed if confidence < 1). In between it is holds_to_rounding if the slack is small against `scale`,
    /// else undecided.
    Verdict decide(Real scale) const;
    Real margin() const;  ///< right + slack - left; negative if violated
    Real ratio() const;   ///< left / right; 0 for 0/0

    friend bool operator==(const Inequality&, const Inequality&) = default;
};

/// A bound as the paper states it, evaluated on this run. It is not proved: it is shown so that readers of
/// the paper can see where it fails. A certificate is sound whether or not these are satisfied.
///
/// \code
/// for (const PaperClaim& claim : certificate.paper_claims)
///     if (claim.applicable && !claim.satisfied) std::cout << claim.id << ": " << claim.reason << '\n';
/// \endcode
struct PaperClaim {
    std::string id;           ///< the theorem of the paper
    std::string statement;    ///< the statement in words and symbols
    bool applicable = false;  ///< this run meets its assumptions
    bool satisfied = false;   ///< left <= right on this run
    Real left = 0;            ///< left side, as measured
    Real right = 0;           ///< right side, as measured
    std::string reason = {};  ///< why it is wrong in general
    bool condition = false;  ///< the two sides are those of an assumption of the claim, not of its conclusion

    friend bool operator==(const PaperClaim&, const PaperClaim&) = default;
};

/// The lines that every certificate consists of, whether of a run, a game or a fit.
///
/// \code
/// for (const Inequality& line : certificate.inequalities)
///     if (line.verdict == Verdict::violated) std::cerr << line.id << ": " << line.explanation << '\n';
/// \endcode
struct CertificateLines {
    std::vector<Inequality> inequalities = {};  ///< what was checked, in the order of the ids
    std::vector<PaperClaim> paper_claims = {};  ///< the paper's own bounds, for comparison

    /// Whether no inequality is violated. An undecided line proves nothing, but does not make it unsound.
    bool sound() const;
    /// The inequality with that id. Throws ConfigError if there is none.
    const Inequality& at(std::string_view id) const;

    friend bool operator==(const CertificateLines&, const CertificateLines&) = default;
};

/// The local regret of the same points for a window of another length, measured for comparison. It appears in
/// RunSummary::other_windows.
///
/// \code
/// for (const OtherWindowRegret& other : certificate.summary.other_windows)
///     std::cout << "window " << other.window << ": " << other.regret << '\n';
/// \endcode
struct OtherWindowRegret {
    Index window = 0;  ///< w'
    Real regret = 0;   ///< Reg_{w'}(T): sum of the squared stationarity gaps for that window
    friend bool operator==(const OtherWindowRegret&, const OtherWindowRegret&) = default;
};

/// How an ensemble of learners weighed its members over a run. What each member with a window did is in its
/// own certificate (Certificate::members); the lists here have an entry for every member of the header.
///
/// \code
/// if (const auto& ensemble = certificate.summary.ensemble)
///     std::cout << ensemble->losses[ensemble->best] << " a round: the best member\n";
/// \endcode
struct EnsembleSummary {
    bool mean = false;  ///< whether the weighted mean of the members was played, not one of them
    std::vector<Round> active_member;  ///< rounds in which the member was active, or led if a mean was played
    std::vector<Real> weights;         ///< mean weight of each member
    std::vector<Real> losses;          ///< mean of l_t(k) = f_t + g at member k's point
    Round switches = 0;                ///< rounds in which the active or leading member changed
    Index best = 0;                    ///< the member with the least loss, in hindsight
    Round restarted = 0;  ///< rounds with a member that had been restarted because its loss was not finite
    Real mean_gap = 0;    ///< root mean square of the played mean's stationarity gap, as measured
    Round measured = 0;   ///< rounds in which it was measured

    /// Mean over rounds of the inner product of p_t and l_t.
    Real weighted_loss = 0;

    friend bool operator==(const EnsembleSummary&, const EnsembleSummary&) = default;
};

/// How noisy sampled gradients were over a run, as claimed and as measured. e = G - grad S_t is the error of
/// an estimate and s_t its claimed size.
///
/// \code
/// if (const auto& noise = certificate.summary.noise)
///     std::cout << "claimed " << noise->claimed << ", measured " << noise->first << '\n';
/// \endcode
struct NoiseSummary {
    Real claimed = 0;  ///< root mean square of s_t
    Real first = 0;    ///< root mean square of |e| of the rounds' first estimates; 0 unless measured
    /// The same of the estimates that ended the rounds, which were selected by passing the test.
    Real kept = 0;
    Round endless = 0;        ///< rounds with c tau_t^2 <= s_t^2: nothing guarantees that their loops end
    Real smallest_delta = 0;  ///< above this delta there are no such rounds; 0 if no sigma was claimed

    friend bool operator==(const NoiseSummary&, const NoiseSummary&) = default;
};

/// The totals of a run: regret, variation, losses, movement, counts and time. It is part of the certificate;
/// mean_loss is the figure to compare methods by, not the regret.
///
/// \code
/// const RunSummary& summary = learner.certificate().summary;
/// std::cout << summary.mean_loss << ", mean regret " << summary.mean_regret() << '\n';
/// \endcode
struct RunSummary {
    RunTotals totals;  ///< rounds, steps and cost
    /// Whether regret, variation and energy were measured; if not they are 0 and mean nothing.
    bool measured = true;
    Real regret = 0;          ///< Reg_w(T) = sum R_t^2, the local regret as measured
    Real regret_bound = 0;    ///< sum (R_t + its rounding error)^2: the exact regret is at most this
    Real variation = 0;       ///< Vpath = sum d_t^2
    Real energy = 0;          ///< E_T, the potential released in the run; of an ensemble, of all its members
    Real mean_loss = 0;       ///< mean of f_t(x_t)
    Real mean_objective = 0;  ///< mean of f_t(x_t) + g(x_t); infinite if x_t left dom g
    Real path_length = 0;     ///< sum |x_{t+1} - x_t|
    Real movement_one = 0;    ///< the same in the 1-norm
    std::uint64_t changed = 0;        ///< coordinates that changed, summed over all rounds
    std::uint64_t tests = 0;          ///< exit tests made
    std::uint64_t cheap_steps = 0;    ///< updates without a proof (T4)
    std::uint64_t confirmations = 0;  ///< exact tests after such updates; with noise, further estimates
    std::uint64_t failed_confirmations = 0;        ///< of those tests, the number that failed
    Round active = 0;                              ///< rounds that updated the point
    Round quiet = 0;                               ///< rounds that did not have to
    Round budget_exhausted = 0;                    ///< rounds that ran out of steps or seconds
    Real largest_loss = 0;                         ///< M: largest |f| seen
    std::vector<OtherWindowRegret> other_windows;  ///< regret for other windows, where it was measured
    std::optional<Real> prediction_loss;      ///< mean loss of the predictions, over the rounds that had one
    RunEnding ending = RunEnding::finished;   ///< how the run ended
    Real seconds = 0;                         ///< time spent by the learner
    std::optional<EnsembleSummary> ensemble;  ///< of an ensemble
    std::optional<NoiseSummary> noise;        ///< of a run with sampled gradients

    Real mean_regret() const;  ///< Reg_w(T) / T; 0 for T = 0
    Real quiet_share() const;  ///< quiet rounds / T; 0 for T = 0

    friend bool operator==(const RunSummary&, const RunSummary&) = default;
};

/// What a run proved: every inequality of the theory with both sides as measured and a verdict. sound() is
/// false only if one of them is violated. That means that a gradient, a prox or a claimed constant is wrong.
/// It says nothing about future losses.
///
/// A run has lines C0 to C7c and C9; with sampled gradients also C10 to C13; an ensemble C1 to C3c and C8 to
/// C8c. The paper's claims are Theorems 1 and 3; with sampled gradients 2, 4 and 5; an ensemble has none.
///
/// \code
/// const Certificate certificate = learner.certificate();
/// std::cout << to_text(certificate) << certificate.at("C3a").right << '\n';
/// if (!certificate.sound()) return EXIT_FAILURE;
/// \endcode
/// Examples: examples/01_closures.cpp, examples/05_ledger.cpp
struct Certificate : CertificateLines {
    RunHeader header;                  ///< what the run stated before its first round
    RunSummary summary;                ///< totals
    std::vector<Certificate> members;  ///< of an ensemble, one for each member with a window

    /// Whether no inequality is violated, here or in a member.
    bool sound() const;

    friend bool operator==(const Certificate&, const Certificate&) = default;
};

/// The certificate as text for a terminal, at most 100 columns wide.
std::string to_text(const Certificate& certificate);
/// The certificate as JSON.
std::string to_json(const Certificate& certificate);
/// What was proved, in one sentence.
std::string conclusion(const Certificate& certificate);

}  // namespace proxstream
