/// Online learning in one object: decide before the loss is known, observe it, and at the end print what the
/// run proved. Window, step and tolerance are chosen automatically unless they are given.
///
///   OnlineLearner learner({.dimension = 3, .regulariser = Simplex()});
///   for (const auto& target : targets) {
///       play(learner.decision());
///       learner.observe([&](ConstView x, View gradient) { ...; return value; });
///   }
///   std::cout << learner.certificate();
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

/// A setting that is a number, or a text such as "auto" or "exp:32".
class TextOrNumber {
  public:
    // NOLINTBEGIN(google-explicit-constructor): so that either can be given.
    TextOrNumber(const char* text) : text_(text) {}
    TextOrNumber(std::string text) : text_(std::move(text)) {}
    template <class N>
    requires(std::is_arithmetic_v<N> && !std::same_as<N, bool>) TextOrNumber(N number)
        : text_(text_of(number)) {}
    // NOLINTEND(google-explicit-constructor)
    const std::string& text() const noexcept { return text_; }

  private:
    static std::string text_of(std::integral auto number) { return std::to_string(number); }
    static std::string text_of(Real number);

    std::string text_;
};

/// The user's own source of noisy gradients, in place of exact ones.
struct GradientSampler {
    /// Writes a sample of the gradient at x of the loss of round `record`. What is random in it follows from
    /// `draw` alone: the same draw at two points is the same sample.
    std::function<void(Round record, ConstView x, const Draw& draw, std::vector<Real>& gradient)> sample;
    std::uint64_t samples = 1;       // averaged for each record
    std::optional<Real> noise = {};  // standard deviation of one sample; not given: nothing is claimed
    bool bounded = false;            // no sample is further off than `noise`
    bool independent = true;         // across records
    std::string name = "callback";   // in the certificate
};

/// All that can be chosen. What is left out is chosen automatically.
struct OnlineOptions {
    Index dimension = 0;                  // of x; may be left out where the losses or the start tell it
    AnyRegulariser regulariser = Zero();  // g; of models of rows, all but intercepts and biases
    std::vector<Real> start = {};         // x_1; empty: what suits the losses, and is allowed by g
    TextOrNumber window = "auto";         // number of losses, or a text such as "exp:32"; auto: an ensemble
    std::string forecast = "auto";    // of the next loss: auto, previous, mean, zero, season:S, or forecast:
                                      // given by expect()
    TextOrNumber step = "auto";       // eta, the reference step of the stationarity gap; auto: 1/L
    Real smoothness = 0;              // L, a Lipschitz constant of the gradients, where it is known
    TextOrNumber tolerance = "auto";  // delta: rounds end at a stationarity gap of delta / w
    std::string inner = "auto";       // solver of a round
    std::string learner = "time-smoothed";  // another method, to compare with
    Real hysteresis = 1;           // in (0, 1]: rounds that have to work go on to this share of delta / w
    Real switching = 0;            // price of every coordinate that changes
    Index max_steps = 1000;        // of a round
    Real max_seconds = kInfinity;  // of a round
    Real effort = 0;               // loss gradients a round may cost on average; 0: automatic
    std::string oracle = "exact";  // "gaussian:0.1", "minibatch:8", ...: noisy gradients
    std::optional<GradientSampler> sampler = {};  // or the user's own
    Index confirm = 1;    // estimates that have to pass before a round with noisy ones ends
    bool referee = true;  // with noisy gradients: measure exactly beside, for the certificate
    std::uint64_t seed = 1;
    std::string ledger = {};      // file to write every round to; finish() completes it
    bool check_gradients = true;  // in the first rounds, by differences of values
};

/// What an OnlineLearner has to know of its losses; made by its constructors.
struct LossSource {
    using Failure = std::shared_ptr<CallbackFailure>;

    Index dimension = 0;  // 0: not known
    std::function<AnyBatch(Index capacity, const Failure& failure)> make_batch;
    std::shared_ptr<const RowFamily> rows = nullptr;  // where records are data rows
    bool closures = false;

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
    static LossSource of_rows(std::shared_ptr<const RowFamily> rows);
    static LossSource of_closures(Index dimension);
};

class OnlineLearner {
  public:
    /// Losses are functions: observe([..](ConstView x, View gradient) { ..; return value; }). Throws
    /// ConfigError with everything that is wrong with the options, as the other constructors.
    explicit OnlineLearner(OnlineOptions options);
    /// Losses are records of a family: one formula, and data that differ from round to round. A BatchedLoss
    /// is one, too.
    template <LossFamily F>
    OnlineLearner(OnlineOptions options, F family)
        : OnlineLearner(std::move(options), LossSource::of(std::move(family))) {}
    /// Losses are those of data rows, for example make_row_family("huber:1", {.features = 20}).
    template <std::derived_from<RowFamily> F>
    OnlineLearner(OnlineOptions options, std::unique_ptr<F> rows)
        : OnlineLearner(std::move(options), LossSource::of_rows(std::move(rows))) {}
    OnlineLearner(OnlineOptions options, LossSource losses);
    ~OnlineLearner();
    OnlineLearner(OnlineLearner&&) noexcept;
    OnlineLearner& operator=(OnlineLearner&&) noexcept;

    /// x_t, to be played before the loss of the round is known.
    ConstView decision() const;

    /// The loss of the round is revealed, and the decision becomes that of the next round. Functions are kept
    /// as long as the window reaches back: what they capture by reference has to live as long.
    ///
    /// A loss that is not finite is refused: the report says so and nothing has changed. An exception of the
    /// user's code comes out of here, and nothing has changed either. Throws GradientMismatch in the first
    /// rounds if the gradient contradicts the values, and ConfigError for a record of another type or size.
    template <class Loss>
    const RoundReport& observe(const Loss& loss) {
        return with_record(
            loss, [this](const RecordRef& record) -> const RoundReport& { return observe_record(record); });
    }
    /// The same where nobody knows the loss: a sampler gives the gradients, and there is no referee. Every
    /// round of a run comes with its loss, or none does.
    const RoundReport& observe();
    /// What the loss of the round after the next observe() is expected to be; for forecast = "forecast".
    template <class Loss>
    void expect(const Loss& forecast) {
        with_record(forecast, [this](const RecordRef& record) { expect_record(record); });
    }

    /// Of the last round.
    const RoundReport& report() const;
    Round rounds() const;  // observed and not refused
    /// What the rounds so far prove. It can be printed with <<; to_text and to_json give it as text.
    Certificate certificate() const;
    /// Ends the run: completes the ledger. observe() is refused afterwards.
    Certificate finish();

    /// Of models of data rows: the prediction at the current decision.
    Real predict(ConstView features) const;
    std::vector<Real> predict(const RowBlock& rows) const;

    /// The whole state, as bytes. Throws ConfigError where losses cannot be saved: functions, and records
    /// without exchange(Checkpoint&).
    std::string save() const;
    /// Continues a saved run, bit for bit; the options and losses are the same. Throws DataError or
    /// ConfigError, and changes nothing, if they are not.
    void restore(std::string_view bytes);

    /// The reference step, once the first loss has fixed it; 0 before.
    Real step() const;

  private:
    struct State;

    template <class Loss, class Use>
    decltype(auto) with_record(const Loss& loss, const Use& use) {
        if constexpr (std::same_as<Loss, FunctionFamily::Record>) {
            return use(RecordRef(loss));
        } else if constexpr (std::is_invocable_r_v<Real, Loss&, ConstView, View>) {
            return use(RecordRef(FunctionFamily::Record(loss)));
        } else {
            return use(RecordRef(loss));
        }
    }
    const RoundReport& observe_record(const RecordRef& record);
    void expect_record(const RecordRef& record);

    std::unique_ptr<State> state_;
};

/// The text of the certificate.
std::ostream& operator<<(std::ostream& out, const Certificate& certificate);

}  // namespace proxstream
