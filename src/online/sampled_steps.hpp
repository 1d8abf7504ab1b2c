/// A few prox steps a round along estimates of the window's gradient, each made of a fixed number of samples
/// in all, whatever the window's length: what networks are trained with. No loss is ever evaluated whole, so
/// nothing is measured, and a certificate says just that.
#pragma once

#include "proxstream/core/linalg.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/row_block.hpp"
#include "proxstream/prox/prox_gradient_step.hpp"
#include "proxstream/prox/regulariser.hpp"

#include "online/learner.hpp"
#include "window/oracle.hpp"
#include "window/window_weights.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

struct SampledStepsOptions {
    WindowWeights window = 1;
    Index samples = 64;  // an estimate is made of so many, spread evenly over the window by weight
    Index steps = 1;     // a round
    Real step = 1;       // eta, by which others measure
    std::uint64_t seed = 0;
};

/// What an update rule sees: an estimate in place of the newest loss's gradient.
template <Regulariser G>
class SampledMove {
  public:
    SampledMove(const G& g, View point, ConstView estimate, Scratch& scratch)
        : g_(g), point_(point), estimate_(estimate), scratch_(scratch) {}

    ConstView point() const noexcept { return point_; }
    ConstView newest_gradient() const noexcept { return estimate_; }
    Scratch& scratch() noexcept { return scratch_; }
    void keep_within(View direction) const { project_direction(g_, direction); }
    void restart_from(ConstView base) { copy(base, point_); }
    void step(Real step, ConstView direction) { this->step(step, direction, step); }
    void step(Real step, ConstView direction, Real prox_step) {
        step_along(point_, -step, direction, point_);
        regulariser_ = g_.prox(point_, prox_step, point_, scratch_);
        taken_ = step;
    }

    Real regulariser() const noexcept { return regulariser_; }  // g(point)
    Real taken() const noexcept { return taken_; }              // the step

  private:
    const G& g_;
    View point_;
    ConstView estimate_;
    Scratch& scratch_;
    Real regulariser_ = 0;
    Real taken_ = 0;
};

template <Regulariser G, RecordBatch B, class Rule>
class SampledSteps final : public Learner<typename B::Record> {
  public:
    using Record = typename B::Record;

    /// `batch` holds one record more than the window: a round can be taken back.
    SampledSteps(G g, B batch, std::vector<Real> start, const SampledStepsOptions& options, Rule rule)
        : g_(std::move(g)),
          batch_(std::move(batch)),
          options_(options),
          // A sequence of its own, as that of other estimates.
          seed_(options.seed ^ 0x73746570730aULL),
          rule_(std::move(rule)),
          now_{std::move(start), 0},
          estimate_(now_.point.size()) {
        if (batch_.capacity() <= options_.window.length()) {
            throw ConfigError("the store has room for " + std::to_string(batch_.capacity()) +
                              " records; a window of " + std::to_string(options_.window.length()) +
                              " needs one more than its length");
        }
        check_dimension(g_, now_.point.size());
        now_.regulariser = g_.value(now_.point, scratch_);
        if (!std::isfinite(now_.regulariser))
            throw ConfigError("the starting point lies outside the domain of the regulariser");
        before_ = now_;
        if (options_.steps > 1) rule_before_ = rule_;
        begin_anew();
    }

    ConstView decide() const override { return now_.point; }

    /// The round's first estimate is made here: a loss that is not finite is refused before anything moves.
    bool enter(const Record& record, RoundReport& report) override {
        advanced_ = false;
        cost_ = {};
        report.round = round_ - revised_ + 1;
        const auto start = std::chrono::steady_clock::now();
        batch_.push(record);
        ++round_;
        const Real loss = is_finite(record) ? first_estimate() : std::numeric_limits<Real>::quiet_NaN();
        count_seconds(start);
        if (!std::isfinite(loss)) {
            batch_.drop_newest();
            --round_;
            refuse(report);
            return false;
        }
        report.loss = loss;
        report.regulariser = now_.regulariser;
        report.cost = cost_;
        before_.regulariser = now_.regulariser;
        copy(now_.point, before_.point);
        return true;
    }

    void advance(RoundReport& report, ConstView /*start*/) override {
        const auto start = std::chrono::steady_clock::now();
        if (rule_before_) *rule_before_ = rule_;
        advanced_ = true;
        bool finite = true;
        for (Index k = 0; k < options_.steps && finite; ++k) {
            if (k > 0) finite = std::isfinite(estimate(k)) && all_finite(estimate_);
            if (!finite) break;
            SampledMove<G> move(g_, now_.point, estimate_, scratch_);
            rule_.move(move);
            ++cost_.prox;
            now_.regulariser = move.regulariser();
            report.smallest_step = k == 0 ? move.taken() : std::min(report.smallest_step, move.taken());
            report.largest_step = std::max(report.largest_step, move.taken());
            finite = all_finite(now_.point) && !std::isnan(now_.regulariser);
        }
        count_seconds(start);
        if (!finite) {
            rollback();
            refuse(report);
            return;
        }
        report.status = RoundStatus::moved;
        report.steps = options_.steps;
        note_movement(before_.point, now_.point, report);
        report.cost = cost_;
    }

    void rollback() override {
        if (advanced_) {
            if (rule_before_) {
                std::swap(rule_, *rule_before_);
            } else {
                rule_.rollback();
            }
        }
        advanced_ = false;
        std::swap(now_, before_);
        batch_.drop_newest();
        --round_;
    }

    RoundReport revise(const std::function<void(View)>& repair) override {
        RoundReport report;
        repair(now_.point);
        now_.regulariser = g_.value(now_.point, scratch_);
        report.status = std::isfinite(now_.regulariser) ? RoundStatus::moved : RoundStatus::refused;
        begin_anew();
        return report;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts;
        facts.dimension = now_.point.size();
        facts.window = options_.window.length();
        facts.window_text = options_.window.text();
        facts.effective_length = options_.window.effective_length();
        facts.step = options_.step;
        facts.promises_exit = false;
        facts.counts_steps = false;
        facts.initial_gap = initial_.mapping;
        facts.initial_objective = initial_.objective;
        facts.initial_records = initial_.records;
        facts.infimum_regulariser = infimum(g_);
        facts.prox_scale = prox_scale(g_, now_.point.size());
        NoiseFacts noise;
        noise.oracle = "samples:" + std::to_string(options_.samples);
        noise.refereed = false;
        facts.noise = std::move(noise);
        return facts;
    }

    Closing close() override {
        Closing closing;
        closing.regulariser = now_.regulariser;
        return closing;
    }
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override {
        archive.field("round", round_);
        archive.field("revised", revised_);
        archive.section("records", batch_);
        archive.section("rule", rule_);
        if (rule_before_) archive.section("rule before", *rule_before_);
        archive.section("now", now_);
        archive.section("before", before_);
        archive.section("initial", initial_);
        archive.field("advanced", advanced_);
        archive.field("seconds", seconds_);
    }

  private:
    struct Position {
        std::vector<Real> point;
        Real regulariser = 0;

        void serialise(StateArchive& archive) {
            archive.fixed("point", point);
            archive.field("regulariser", regulariser);
        }
    };
    /// Where a certificate begins.
    struct Initial {
        Real mapping = 0;
        Real objective = 0;
        Index records = 0;

        void serialise(StateArchive& archive) {
            archive.field("residual", mapping);
            archive.field("objective", objective);
            archive.field("records", records);
        }
    };

    void begin_anew() {
        Scratch::Frame frame(scratch_);
        const View none = frame.take(now_.point.size());
        fill(none, 0);
        const View forward = frame.take(none.size());
        const View mapping = frame.take(none.size());
        initial_.mapping =
            prox_gradient_step(g_, now_.point, none, options_.step, forward, mapping, scratch_).norm;
        initial_.objective = now_.regulariser;
        initial_.records = batch_.size();
        revised_ = round_;
    }

    /// Rows that hold something else would spoil the rounds that happen to draw them, one after the other.
    static bool is_finite(const RecordRef& record) {
        if (!record.is<RowBlock>()) return true;
        const RowBlock& rows = record.as<RowBlock>();
        return all_finite(rows.all_values()) && all_finite(rows.targets());
    }

    /// The mean loss at x_t of the samples drawn. The newest loss is among them, or is looked at besides.
    Real first_estimate() {
        const Real loss = estimate(0);
        if (!std::isfinite(loss) || !all_finite(estimate_)) return std::numeric_limits<Real>::quiet_NaN();
        if (newest_drawn_) return loss;
        Scratch::Frame frame(scratch_);
        const View gradient = frame.take(estimate_.size());
        const Ticket ticket{seed_, round_, static_cast<std::uint32_t>(options_.steps)};
        const WeightedPart one[] = {{0, uniform_below(ticket.of_record(0), part_count(batch_, 0)), 1}};
        const Real newest = parts_gradient(batch_, one, now_.point, gradient, scratch_);
        ++cost_.oracle_calls;
        ++cost_.base_samples;
        if (!std::isfinite(newest) || !all_finite(gradient)) return std::numeric_limits<Real>::quiet_NaN();
        return drawn_mass_ > 0 ? loss : newest;
    }

    /// The k-th estimate of the round, where the point is now. Returns the mean loss of the samples drawn.
    Real estimate(Index k) {
        Scratch::Frame frame(scratch_);
        if (weights_.empty() || options_.window.varies()) options_.window.at(round_, weights_);
        const auto live = std::span<const Real>(weights_).first(std::min(weights_.size(), batch_.size()));
        const Ticket ticket{seed_, round_, static_cast<std::uint32_t>(k)};
        const auto parts = frame.template take<WeightedPart>(options_.samples);
        draw_ages(live, ticket.shared(), parts);
        drawn_mass_ = parts.front().weight * static_cast<Real>(parts.size());
        newest_drawn_ = parts.front().age == 0 && drawn_mass_ > 0;
        for (Index i = 0; i < parts.size(); ++i) {
            Draw draw = ticket.of_record(parts[i].age);
            draw.sample = i;
            parts[i].part = uniform_below(draw, part_count(batch_, parts[i].age));
            if (i == 0 || parts[i].age != parts[i - 1].age) ++cost_.oracle_calls;
        }
        cost_.base_samples += parts.size();
        ++cost_.passes;
        const Real value = parts_gradient(batch_, parts, now_.point, estimate_, scratch_);
        return drawn_mass_ > 0 ? value / drawn_mass_ : value;
    }

    void refuse(RoundReport& report) {
        report = RoundReport{};
        report.round = round_ - revised_ + 1;
        report.status = RoundStatus::refused;
        report.cost = cost_;
    }
    void count_seconds(std::chrono::steady_clock::time_point start) {
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }

    G g_;
    B batch_;
    SampledStepsOptions options_;
    std::uint64_t seed_;
    Rule rule_;
    std::optional<Rule> rule_before_;  // of several steps a round; a rule alone forgets one
    Position now_;
    Position before_;
    Initial initial_;
    std::vector<Real> weights_;   // of the window, by age
    std::vector<Real> estimate_;  // of its gradient
    Real drawn_mass_ = 0;         // what the weights of the samples add up to
    bool newest_drawn_ = false;   // one of them is of the newest loss
    Scratch scratch_;
    Cost cost_;  // of this round
    Round round_ = 0;
    Round revised_ = 0;  // the round after which everything began anew
    bool advanced_ = false;
    double seconds_ = 0;
};

}  // namespace proxstream
