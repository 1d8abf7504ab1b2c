/// An ensemble of learners on one store of records: several windows, and cheap learners beside them. Realised
/// losses weigh the members. The mean of their points is the decision where a mean of models is a model.
/// Elsewhere one member is drawn, and what is proved of its window holds for the decision (docs/theory.md,
/// section 14).
///
/// A member with a window may start its loop from the point of a better member before it, if its own
/// objective is lower there. Short windows find a new basin, long ones inherit it.
#pragma once

#include "proxstream/loss/any_batch.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "online/learner.hpp"
#include "online/point_learner.hpp"
#include "online/selector.hpp"
#include "window/window_weights.hpp"

#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

struct EnsembleOptions {
    Selection selection;
    bool cross_start = true;
    bool restarts = true;  // members whose loss is not finite restart; else the round is refused
    std::uint64_t seed = 0;
};

/// The members: those that are points alone come first, those with windows follow by length.
struct EnsembleMembers {
    std::vector<std::unique_ptr<PointLearner>> points;
    std::vector<std::unique_ptr<AnyLearner>> windows;
    std::vector<WindowWeights> references;  // of the windows
    std::vector<std::string> names;         // of all
};

class Ensemble final : public AnyLearner {
  public:
    /// `store` is filled here and read by every member with a window through SharedBatch.
    Ensemble(AnyRegulariser g, std::shared_ptr<AnyBatch> store, EnsembleMembers members,
             EnsembleOptions options);

    ConstView decide() const override { return now_.point; }
    void expect(const RecordRef& forecast) override;
    bool enter(const RecordRef& record, RoundReport& report) override;
    void advance(RoundReport& report, ConstView start) override;
    void rollback() override;
    RoundReport revise(const std::function<void(View)>& repair) override;
    RunHeader facts() const override;
    Closing close() override;
    const EnsembleRound* ensemble() const override { return &round_; }
    double seconds() const override;
    void serialise(StateArchive& archive) override;

  private:
    /// A round that a member could not learn from.
    struct Missed {
        Real loss = 0;  // f_t and g at its point
        Real regulariser = 0;
        bool first = false;    // the first one: its certificate ends here
        bool waiting = false;  // its restart before this round has failed
    };
    /// A member with a window.
    struct Window {
        std::unique_ptr<AnyLearner> learner;
        WindowWeights judge;
        bool waiting = false;    // it missed its last round: it restarts before the next one
        bool restarted = false;  // its certificate has ended: its later rounds are another run
        Closing closing = {};    // of the rounds before that

        // The current round.
        bool entered = false;
        std::optional<Missed> missed = {};
    };
    /// What a round changes, the members apart.
    struct State {
        std::optional<Mixture> mixture;        // where a mean is played
        std::optional<Selector> selector;      // elsewhere
        std::vector<Real> recent;              // l_t(k), discounted
        std::vector<Real> point;               // z_t
        std::vector<std::vector<Real>> mixed;  // the mixers' points
    };

    /// Whether a loss, a gradient or g can be accounted for.
    static bool usable(Real figure) { return std::abs(figure) <= kAbsurd; }
    /// A member with a larger loss is about to overflow. Where a mean is played, the member is restarted
    /// before the mean overflows too.
    static bool sane(Real loss) { return std::abs(loss) <= kSane; }
    static constexpr Real kSane = 1e100;

    Index size() const { return points_.size() + windows_.size(); }
    ConstView weights() const { return mixing() ? now_.mixture->weights() : now_.selector->weights(); }
    bool mixing() const { return now_.mixture.has_value(); }
    ConstView member_point(Index k) const;
    /// The member with a window whose figures stand for the round.
    Index leading() const;

    bool look_at_mean();
    void look_at_points();
    bool enter_window(Index window);
    void restart(Window& window);
    bool miss(Index window);
    void rollback_windows();
    void refuse(RoundReport& report);
    void find_losses();
    void find_slopes(ConstView mean);
    void learn_points();
    bool can_go_on(const PointLearner& member);
    void write_round(RoundReport& report);
    void measure_mean(RoundReport& report);
    void add_up(RoundReport& report) const;
    ConstView start_for(Index k) const;
    void choose_point();
    void mix(ConstView weights, View out);

    AnyRegulariser g_;
    std::shared_ptr<AnyBatch> store_;
    std::vector<std::unique_ptr<PointLearner>> points_;
    std::vector<Window> windows_;
    std::vector<std::string> names_;
    EnsembleOptions options_;
    State now_, before_;  // before_: at the start of the last round

    RecordRef record_;       // between enter() and advance()
    bool advanced_ = false;  // the current round has moved the weights and the points
    Round entered_ = 0;
    Round revised_ = 0;                 // rounds before the last revise()
    std::vector<RoundReport> reports_;  // of the windows
    std::vector<Real> point_losses_;    // f_t at the points; not finite: the point is restarted
    std::vector<std::vector<Real>> gradients_;
    std::vector<Real> losses_;   // l_t(k)
    std::vector<Real> weights_;  // of the round that is being played

    // Where a mean is played.
    std::vector<Real> mixer_losses_, slopes_, gradient_;
    std::vector<Real> reference_weights_;
    Real mean_loss_ = 0;
    Real mean_regulariser_ = 0;
    Index lead_ = 0;
    Real offset_ = 0;  // of the mean from the leading member's point
    Real step_ = 0;    // eta
    Cost own_cost_, own_referee_cost_;
    Cost late_cost_;  // of the points' updates and of choosing the next point

    EnsembleRound round_;
    double seconds_ = 0;
    Scratch scratch_;
};

}  // namespace proxstream
