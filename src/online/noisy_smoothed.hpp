/// The paper's Algorithm 2 made right: as Algorithm 1 (time_smoothed.hpp), but the window's gradient is known
/// only through a stochastic oracle.
///
/// The learner acts on estimates alone. Beside it, at its own cost, a referee may evaluate the same losses
/// exactly: what the point that was played was worth, and how far the estimates were off. Nothing of that
/// reaches the learner.
#pragma once

#include "online/played_round.hpp"
#include "solve/repeated_test.hpp"
#include "window/oracle_window.hpp"
#include "window/shared_batch.hpp"

#include <chrono>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace proxstream {

struct NoisySmoothedOptions {
    WindowWeights window = 1;
    Real step = 1;        // eta
    Real smoothness = 0;  // the claimed L
    Real delta = 1;       // a round ends when |P(y; G)| <= delta / w_a
    std::uint64_t confirm = 1;
    Budget budget;
    EstimatorOptions estimator;
    std::uint64_t seed = 0;
    bool refereed = true;
    std::string oracle_text;  // for the record, as the next two; empty: the oracle's own name
    std::string noise_origin;
    Real confidence = 0.95;
};

template <Regulariser G, RecordBatch B>
class NoisySmoothed final : public Learner<typename B::Record> {
  public:
    using Record = typename B::Record;

    /// `batch` holds at least CarriedWindow<B>::slots() of the window.
    NoisySmoothed(G g, B batch, std::vector<Real> start, AnyOracle oracle,
                  const NoisySmoothedOptions& options)
        : store_(std::make_shared<B>(std::move(batch))),
          referee_(std::move(g), SharedBatch<B>(store_), options.window, ForecastRule{}, options.step, start),
          window_(SharedBatch<B>(store_), start.size(), options.window, std::move(oracle), options.estimator,
                  options.seed),
          options_(options),
          tolerance_(options.delta / options.window.effective_length()),
          iterate_(std::move(start)),
          before_(iterate_),
          inner_(options.smoothness, options.confirm) {
        iterate_.regulariser = referee_.iterate().regulariser;
    }

    ConstView decide() const override { return iterate_.point; }

    bool enter(const Record& record, RoundReport& report) override {
        store_->push(record);
        begun_ = false;
        cost_before_ = cost();
        before_ = iterate_;
        const bool finite = options_.refereed ? referee_.enter(record, report) : look(report);
        charge(report);
        if (!finite) {
            store_->drop_newest();
            return false;
        }
        ++round_;
        report.tolerance = report.target_gap = tolerance_;
        return true;
    }

    void advance(RoundReport& report, ConstView /*start*/) override {
        InnerReport inner;
        try {
            inner = move(report);
        } catch (...) {
            rollback();  // a sampler of the user's may throw; the round did not happen
            throw;
        }
        if (inner.status == SolveStatus::not_finite || !std::isfinite(inner.squared_gaps + inner.path) ||
            !all_finite(iterate_.point) || !iterate_.finite() ||
            (options_.refereed && !referee_.follow(iterate_.point, iterate_.regulariser))) {
            refuse(report);
            return;
        }
        report.status = inner.status == SolveStatus::budget_exhausted ? RoundStatus::budget_exhausted
                        : inner.steps > 0                             ? RoundStatus::solved
                                                                      : RoundStatus::quiet;
        note_steps(inner, report);
        report.certified_decrease = 0;  // that was for exact gradients
        if (options_.refereed) {
            referee_.leave(report);
            report.kept_noise = distance(window_.gradient(), exact_gradient());
        } else {
            note_movement(before_.point, iterate_.point, report);
        }
        report.tested_gap = iterate_.gap;
        charge(report);
    }

    void rollback() override {
        if (options_.refereed) referee_.rollback();
        if (begun_) window_.rollback();
        store_->drop_newest();
        std::swap(iterate_, before_);
        --round_;
    }

    LearnerFacts facts() const override {
        LearnerFacts facts = referee_.facts();
        facts.steps = inner_.step_claim();
        const EstimatorOptions& estimator = window_.options();
        NoiseFacts noise;
        noise.oracle = options_.oracle_text.empty() ? window_.oracle().name() : options_.oracle_text;
        noise.variant = estimator.kind == EstimatorOptions::Kind::paper ? "paper" : "fresh";
        noise.estimator = estimator.kind == EstimatorOptions::Kind::spider ? "spider" : "sample";
        noise.confirm = options_.confirm;
        if (const std::optional<Real> level = window_.full_level())
            noise.sigma = facts.effective_length * *level;
        // A spider's later estimates gather the noise of their differences: only its fresh ones are bounded.
        noise.bounded = window_.oracle().bounded() && estimator.kind != EstimatorOptions::Kind::spider;
        noise.independent = window_.oracle().independent();
        noise.origin = options_.noise_origin;
        noise.confidence = options_.confidence;
        noise.refereed = options_.refereed;
        facts.noise = std::move(noise);
        return facts;
    }

    Closing close() override {
        if (options_.refereed) return referee_.close();
        Closing closing;
        closing.regulariser = iterate_.regulariser;
        return closing;
    }
    double seconds() const override { return seconds_; }

    void serialise(StateArchive& archive) override {
        archive.field("round", round_);
        archive.section("store", *store_);
        archive.section("referee", referee_);
        archive.section("window", window_);
        archive.section("iterate", iterate_);
        archive.section("iterate before", before_);
        archive.field("begun", begun_);
        archive.field("seconds", seconds_);
        archive.require(round_ == 0 || store_->size() > 0, "the records of its rounds");
    }

  private:
    /// The learner's own part of a round: everything it does, and all it is charged for.
    InnerReport move(RoundReport& report) {
        const auto start = std::chrono::steady_clock::now();
        begun_ = true;
        InnerReport inner;
        if (window_.begin_round(iterate_.point, scratch_)) {
            test_at(iterate_, window_.gradient(), referee_.g(), options_.step, scratch_);
            ++inner_cost_.prox;
            report.first_gap = iterate_.gap;
            report.noise_level = window_.level().value_or(0);
            if (options_.refereed) report.first_noise = distance(window_.gradient(), exact_gradient());
            inner = inner_.solve(window_, referee_.g(), options_.step, tolerance_, options_.budget, iterate_,
                                 inner_cost_, scratch_);
        } else {
            inner.status = SolveStatus::not_finite;
        }
        seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        return inner;
    }

    ConstView exact_gradient() const { return referee_.window().gradient(); }

    Cost cost() const { return window_.cost() + inner_cost_; }

    /// Without a referee only the loss itself is looked at.
    bool look(RoundReport& report) {
        report.round = round_ + 1;
        report.loss = store_->value(0, iterate_.point, scratch_);
        report.regulariser = iterate_.regulariser;
        if (std::isfinite(report.loss)) return true;
        report = RoundReport{};
        report.round = round_ + 1;
        report.status = RoundStatus::refused;
        return false;
    }

    void refuse(RoundReport& report) {
        rollback();
        report = RoundReport{};
        report.round = round_ + 1;
        report.status = RoundStatus::refused;
        charge(report);
    }

    /// Estimates are the learner's, everything exact is the referee's.
    void charge(RoundReport& report) {
        report.cost = cost() - cost_before_;
        report.referee_cost = {};
        if (options_.refereed) {
            report.referee_cost = referee_.cost_since_entry();
        } else {
            report.referee_cost.record_values = 1;
        }
    }

    std::shared_ptr<B> store_;
    PlayedRound<G, SharedBatch<B>> referee_;
    OracleWindow<SharedBatch<B>> window_;
    NoisySmoothedOptions options_;
    Real tolerance_;
    Iterate iterate_;
    Iterate before_;
    RepeatedTest inner_;
    Scratch scratch_;
    Cost inner_cost_;
    Cost cost_before_;
    Round round_ = 0;
    bool begun_ = false;  // this round's first estimate has been drawn
    double seconds_ = 0;
};

}  // namespace proxstream
