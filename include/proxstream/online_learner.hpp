/// Online learning in one object: decide before the loss is known, observe it, and at the end print what the
/// run proved. Window, step and tolerance are chosen automatically unless they are given.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/error.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/loss/any_batch.hpp"
#include "proxstream/loss/batched_loss.hpp"
#include "proxstream/loss/function_family.hpp"
#include "proxstream/loss/guarded_batch.hpp"
#include "proxstream/loss/loss_family.hpp"
#include "proxstream/loss/row_family.hpp"
#include "proxstream/prox/regulariser.hpp"
#include "proxstream/prox/separable.hpp"
#include "proxstream/regret/certificate.hpp"
#include "proxstream/window/record_ring.hpp"

#include <concepts>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace proxstream {

/// A setting that is a number, or a text such as "auto" or "exp:32". It converts from both, so options can be
/// written either way; text() is what was given.
///
/// \code
/// OnlineOptions options{.dimension = 3, .window = 16};
/// options.window = "exp:32";
/// \endcode
class TextOrNumber {
  public:
    // NOLINTBEGIN(google-explicit-constructor): so that either can be given.
    /// From a text.
    TextOrNumber(const char* text) : text_(text) {}
    /// From a text.
    TextOrNumber(std::string text) : text_(std::move(text)) {}
    /// From a number of any arithmetic type but bool.
    template <class N>
    requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>) TextOrNumber(N number)
        : text_(text_of(number)) {}
    // NOLINTEND(google-explicit-constructor)
    /// The setting as text; numbers in their shortest form.
    const std::string& text() const noexcept { return text_; }

  private:
    static std::string text_of(std::integral auto number) { return std::to_string(number); }
    static std::string text_of(Real number);

    std::string text_;
};

/// Your own source of noisy gradients, in place of exact ones: a simulation, for example. Set
/// OnlineOptions::sampler to use it. What you state about the noise (standard deviation, bound, independence)
/// decides which inequalities the certificate can check. Example: examples/06_sampled_gradients.cpp
struct GradientSampler {
    /// Writes a sample of the gradient, at x, of the loss of round `record`. All randomness must come from
    /// `draw`: the same draw at two points means the same sample.
    std::function<void(Round record, ConstView x, const Draw& draw, std::vector<Real>& gradient)> sample;
    std::uint64_t samples = 1;       ///< samples averaged for each record
    std::optional<Real> noise = {};  ///< standard deviation of one sample; absent: no claim
    bool bounded = false;            ///< every sample is within `noise` of the exact gradient
    bool independent = true;         ///< samples of different records are independent
    std::string name = "callback";   ///< name in the certificate
};

/// All settings of an OnlineLearner. Every field has a default; those set to "auto" or left empty are chosen
/// from the first loss or during the run.
///
/// \code
/// OnlineOptions options{.dimension = 3, .regulariser = Simplex()};
/// options.window = 32;
/// options.ledger = "run.jsonl";
/// OnlineLearner learner(options);
/// \endcode
struct OnlineOptions {
    Index dimension = 0;  ///< length of x; may be left out if the losses or the start give it
    /// G, a penalty or a set; for losses of rows it leaves intercepts and biases free.
    AnyRegulariser regulariser = Zero();
    std::vector<Real> start = {};  ///< x_1; empty: a point that suits the losses and is allowed by g
    /// Number of losses, or a text such as "exp:32"; "auto": an ensemble of windows.
    TextOrNumber window = "auto";
    /// Decision of an ensemble: "mean" of its members, or "draw" one. "auto": mean for linear models of rows,
    /// draw for other losses, where the mean of two good points can be a bad one. For convex losses say mean.
    std::string selection = "auto";
    std::string forecast = "auto";    ///< forecast of the next loss: auto, previous, mean, zero, season:S, or
                                      ///< forecast (given by expect())
    TextOrNumber step = "auto";       ///< eta, the reference step of the stationarity gap; "auto": 1/L
    Real smoothness = 0;              ///< L, a Lipschitz constant of the gradients; 0: not known
    TextOrNumber tolerance = "auto";  ///< delta: a round ends at a stationarity gap of delta / w
    std::string inner = "auto";       ///< solver of a round
    std::string learner = "time-smoothed";  ///< the method; others than the default are for comparisons
    Real hysteresis = 1;  ///< theta in (0, 1]: rounds that update the point reduce the gap to theta delta / w
    /// Price of changes: the round pays kappa |x - x_t|_1, kappa = switching / (w_a sqrt(n)).
    Real switching = 0;
    Index max_steps = 1000;        ///< most steps of a round
    Real max_seconds = kInfinity;  ///< most seconds of a round
    Real effort = 0;               ///< loss gradients that a round may cost on average; 0: automatic
    std::string oracle = "exact";  ///< "exact", or noisy gradients: "gaussian:0.1", "minibatch:8", ...
    std::optional<GradientSampler> sampler = {};  ///< your own noisy gradients, in place of an oracle
    Index confirm = 1;            ///< m: estimates that have to pass before a round with noisy gradients ends
    bool referee = true;          ///< with noisy gradients: also measure exact ones, for the certificate
    std::uint64_t seed = 1;       ///< random seed
    std::string ledger = {};      ///< file that every round is written to; finish() completes it
    bool check_gradients = true;  ///< compare gradients with differences of values in the first rounds
};

/// How an OnlineLearner stores and evaluates its losses. The constructors of OnlineLearner make one for you;
/// make it yourself only to keep the choice of the losses open until run time.
///
/// \code
/// LossSource losses = LossSource::of_rows(make_row_family("huber:1", {.features = 20}));
/// OnlineLearner learner({.regulariser = L1Norm(0.1)}, losses);
/// \endcode
struct LossSource {
    /// Where the first exception of a callback is kept during a round.
    using Failure = std::shared_ptr<CallbackFailure>;

    Index dimension = 0;  ///< length of x; 0: not known
    /// Makes the store of the newest `capacity` records.
    std::function<AnyBatch(Index capacity, const Failure& failure)> make_batch;
    std::shared_ptr<const RowFamily> rows = nullptr;  ///< the family, if records are data rows; else null
    bool closures = false;                            ///< records are functions

    /// Losses that are records of a family.
    template <LossFamily F>
    static LossSource of(F family) {
        LossSource source;
        source.dimension = family.dimension();
        if constexpr (std::derived_from<F, RowFamily>) {
            return of_rows(std::make_shared<F>(std::move(family)));
        } else {
            source.make_batch = [family = std::move(family)](Index capacity, const Failure& failure) {
                return AnyBatch(GuardedBatch(proxstream::make_batch(family, capacity), failure));
            };
            return source;
        }
    }
    /// Losses of data rows. Throws ConfigError if `rows` is null.
    static LossSource of_rows(std::shared_ptr<const RowFamily> rows);
    /// Losses that are functions of `dimension` coordinates.
    static LossSource of_closures(Index dimension);
};

/// Learns online from losses that may be non-convex, with a penalty or constraint g. Each round it has a
/// decision, then observes the loss of that round and finds the next decision. It keeps decisions nearly
/// stationary for a window of recent losses, and certificate() says what the run proved about that.
///
/// If a loss, regulariser or sampler of yours throws, or a loss is not finite, the round is rolled back. The
/// learner is then as it was before. One object must not be used by several threads at the same time.
///
/// \code
/// OnlineLearner learner({.dimension = 3, .regulariser = Simplex()});
/// for (const auto& target : targets) {
///     play(learner.decision());
///     learner.observe([&](ConstView x, View gradient) { return loss_of(target, x, gradient); });
/// }
/// std::cout << learner.certificate();
/// \endcode
/// Examples: examples/01_closures.cpp, examples/02_robust_regression.cpp
class OnlineLearner {
  public:
    /// For losses that are functions: observe([..](ConstView x, View gradient) { ..; return value; }). Like
    /// the other constructors it throws ConfigError that names everything wrong with the options.
    explicit OnlineLearner(OnlineOptions options);
    /// For losses that are records of a family: one formula, and data that differ from round to round. A
    /// BatchedLoss is such a family, too.
    template <LossFamily F>
    OnlineLearner(OnlineOptions options, F family)
        : OnlineLearner(std::move(options), LossSource::of(std::move(family))) {}
    /// For losses of data rows, for example make_row_family("huber:1", {.features = 20}).
    template <std::derived_from<RowFamily> F>
    OnlineLearner(OnlineOptions options, std::unique_ptr<F> rows)
        : OnlineLearner(std::move(options), LossSource::of_rows(std::move(rows))) {}
    /// For losses that are chosen at run time.
    OnlineLearner(OnlineOptions options, LossSource losses);
    ~OnlineLearner();
    OnlineLearner(OnlineLearner&&) noexcept;             ///< learners can be moved, but not copied
    OnlineLearner& operator=(OnlineLearner&&) noexcept;  ///< learners can be moved, but not copied

    /// x_t, to be used before the loss of the round is known. Valid until the next observe().
    ConstView decision() const;

    /// Reveals the loss of the round and finds the decision of the next one. Returns the report of the round.
    /// Functions are kept as long as the window reaches back, so what they capture by reference has to live
    /// as long.
    ///
    /// A loss that is not finite is refused: the report's status says so, and nothing changes. An exception
    /// of your code passes through, and nothing changes either. Throws GradientMismatch in the first rounds
    /// if the gradient contradicts the values, and ConfigError for a record of another type or size.
    template <class Loss>
    const RoundReport& observe(const Loss& loss) {
        return with_record(
            loss, [this](const RecordRef& record) -> const RoundReport& { return observe_record(record); });
    }
    /// The same for rounds whose loss cannot be evaluated: gradients come from a sampler alone, and
    /// OnlineOptions::referee is false. Either every round of a run comes with its loss, or none does.
    const RoundReport& observe();
    /// Gives the expected loss of the round after the next observe(). Only for forecast = "forecast"; throws
    /// ConfigError otherwise.
    template <class Loss>
    void expect(const Loss& forecast) {
        with_record(forecast, [this](const RecordRef& record) { expect_record(record); });
    }

    /// The report of the last round.
    const RoundReport& report() const;
    Round rounds() const;  ///< T: rounds observed and not refused
    /// What the rounds so far prove. Print it with `<<`; to_text and to_json give it as text.
    Certificate certificate() const;
    /// Ends the run and completes the ledger. observe() throws afterwards.
    Certificate finish();

    /// For losses of data rows: the prediction for one dense row at the current decision. Throws ConfigError
    /// for other losses.
    Real predict(ConstView features) const;
    /// The same for every row of a block, which may be sparse.
    std::vector<Real> predict(const RowBlock& rows) const;

    /// Saves the whole state as bytes. Throws ConfigError if the losses cannot be saved: functions, and
    /// records without serialise(StateArchive&).
    std::string save() const;
    /// Restores a saved state; the run then continues bit for bit. Options and losses must be the same:
    /// otherwise throws DataError or ConfigError and changes nothing.
    void restore(std::string_view bytes);

    /// eta, the reference step; 0 until the first loss has fixed it.
    Real step() const;

  private:
    struct State;

    template <class Loss, class Use>
    decltype(auto) with_record(const Loss& loss, const Use& use) {
        constexpr bool kFunction = !std::same_as<Loss, FunctionFamily::Record> &&
                                   std::is_invocable_r_v<Real, Loss&, ConstView, View>;
        if constexpr (kFunction) {
            return use(RecordRef(FunctionFamily::Record(loss)));
        } else {
            return use(RecordRef(loss));
        }
    }
    const RoundReport& observe_record(const RecordRef& record);
    void expect_record(const RecordRef& record);

    std::unique_ptr<State> state_;
};

/// Prints the certificate as text, see to_text.
std::ostream& operator<<(std::ostream& out, const Certificate& certificate);

}  // namespace proxstream
