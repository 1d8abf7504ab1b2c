/// The source of a learner's gradients: exact ones, from a few rows of each record, with noise of a known
/// law, or from the user's own sampler. An oracle answers for a whole window at once. Its estimate G of the
/// window's gradient is the weighted sum of one answer for each record, and an answer is a mean of base
/// samples.
///
/// Samples are named by their place in the run (Draw). So a run draws the same ones for any number of threads
/// and after a resume.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/loss/any_batch.hpp"

#include <concepts>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace proxstream {

/// Which estimate of a run is asked for.
struct Ticket {
    std::uint64_t seed = 0;
    Round round = 0;         // t
    std::uint32_t pass = 0;  // estimates made before in this round

    /// For the record that is `age` rounds old.
    Draw of_record(Index age) const {
        return {seed, round, static_cast<std::uint32_t>(round - age), pass, 0};
    }
    /// For what all records share: no record of a run has the number 0.
    Draw shared() const { return {seed, round, 0, pass, 0}; }
};

/// The window as an oracle sees it: the records of a store by age, each with its weight (0: left out).
struct OracleView {
    const AnyBatch& batch;
    std::span<const Real> weights;
};

/// What is asked of an oracle: which estimate, from how many base samples, and where the work is counted.
struct OracleCall {
    Ticket ticket;
    std::uint64_t samples = 1;
    Cost& cost;
    Scratch& scratch;
};

class GradientOracle {
  public:
    virtual ~GradientOracle() = default;

    /// out ~ grad S(y); every record answers with a mean of `call.samples` base samples.
    virtual void estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const;
    /// out ~ grad f of one record: its share of the estimate with the same ticket.
    virtual void answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                        View out) const = 0;
    /// out ~ grad S(y) - grad S(from), from `call.samples` base samples in all, spread evenly over the window
    /// and the same ones at both points (section 17 of docs/theory.md rests on that).
    virtual void difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                            View out) const = 0;

    /// s with E|e|^2 <= s^2 for an estimate by answers of so many samples; nullopt: not known.
    virtual std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const = 0;
    virtual std::uint64_t samples() const { return 1; }     // of an answer, by default
    virtual bool exact() const { return false; }            // the answers have no noise
    virtual bool bounded() const { return false; }          // |e| <= level() surely
    virtual bool independent() const { return true; }       // across the records of the window
    virtual std::string name() const { return "sampled"; }  // where no text describes it
};

/// Holds any oracle.
class AnyOracle {
  public:
    template <std::derived_from<GradientOracle> Oracle>
    explicit AnyOracle(Oracle oracle) : held_(std::make_shared<const Oracle>(std::move(oracle))) {}

    const GradientOracle& operator*() const { return *held_; }
    const GradientOracle* operator->() const { return held_.get(); }

  private:
    std::shared_ptr<const GradientOracle> held_;
};

std::uint64_t count_records(std::span<const Real> weights);

/// Fills `out` with records of the window, drawn in proportion to their weights: one from each of out.size()
/// equal slices of their sum. This is unbiased and never varies more than independent draws. Their weights
/// are equal and add up to the window's.
void draw_ages(std::span<const Real> weights, const Draw& draw, std::span<WeightedPart> out);

/// The weights of `samples` records drawn from the window, each times what `factor(sample, age)` makes of it.
template <class Factor>
View drawn_weights(std::span<const Real> weights, const Draw& draw, std::uint64_t samples,
                   Scratch::Frame& frame, Factor factor) {
    const auto parts = frame.take<WeightedPart>(samples);
    draw_ages(weights, draw, parts);
    const View drawn = frame.take(weights.size());
    fill(drawn, 0);
    for (Index i = 0; i < parts.size(); ++i) drawn[parts[i].age] += factor(i, parts[i].age) * parts[i].weight;
    return drawn;
}

/// out = the gradient at y of a weighted sum of records less that at `from`.
void records_difference(const AnyBatch& batch, std::span<const Real> weights, ConstView y, ConstView from,
                        View out, Scratch& scratch);

/// What an estimate's level is made of: sigma_0 of a base sample, and how the window adds up what is left.
Real noise_level(Real base_noise, std::span<const Real> weights, std::uint64_t samples, bool independent);

/// No noise. Base samples, where a difference asks for them, are whole records.
class ExactOracle final : public GradientOracle {
  public:
    std::string name() const override { return "exact"; }
    bool exact() const override { return true; }
    bool bounded() const override { return true; }
    std::optional<Real> level(std::span<const Real> /*weights*/, std::uint64_t /*samples*/) const override {
        return 0;
    }
    void estimate(const OracleView& window, const OracleCall& call, ConstView y, View out) const override;
    void answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                View out) const override;
    void difference(const OracleView& window, const OracleCall& call, ConstView y, ConstView from,
                    View out) const override;
};

}  // namespace proxstream
