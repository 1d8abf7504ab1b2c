/// Where a learner's gradients come from: exactly, from a few rows of each record, with noise of a known law,
/// or from the user's own sampler. An oracle answers for a whole window at once: its estimate G of the
/// window's gradient is the weighted sum of one answer for each record, and an answer is a mean of base
/// samples.
///
/// Samples are named by where they stand in the run (Draw), so a run draws the same ones for any number of
/// threads and after a resume.
#pragma once

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/round_report.hpp"
#include "proxstream/loss/parts.hpp"

#include <concepts>
#include <cstdint>
#include <optional>
#include <span>

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
template <RecordBatch B>
struct OracleView {
    const B& batch;
    std::span<const Real> weights;
};

/// Every oracle counts its calls and base samples in `cost`.
///
///   estimate:    out ~ grad S(y); every record answers with a mean of `samples` base samples
///   answer:      out ~ grad f of one record: its share of the estimate with the same ticket
///   difference:  out ~ grad S(y) - grad S(from), from `samples` base samples in all, spread evenly over the
///                window and the same ones at both points (section 17 of docs/theory.md rests on that)
///   level:       s with E|e|^2 <= s^2 for an estimate by such answers; nullopt: nobody knows
template <class O, class B>
concept GradientOracle = requires(const O& oracle, const OracleView<B>& window, const Ticket& ticket,
                                  std::uint64_t samples, Index age, ConstView y, View out, Cost& cost,
                                  Scratch& scratch) {
    oracle.estimate(window, ticket, samples, y, out, cost, scratch);
    oracle.answer(window.batch, age, ticket, samples, y, out, cost, scratch);
    oracle.difference(window, ticket, samples, y, y, out, cost, scratch);
    { oracle.level(window.weights, samples) } -> std::same_as<std::optional<Real>>;
    { oracle.samples() } -> std::same_as<std::uint64_t>;  // of an answer, unless told otherwise
    { oracle.exact() } -> std::same_as<bool>;             // the answers have no noise
    { oracle.bounded() } -> std::same_as<bool>;           // |e| <= level() surely
    { oracle.independent() } -> std::same_as<bool>;       // across the records of the window
};

std::uint64_t count_records(std::span<const Real> weights);

/// Fills `out` with records of the window, drawn in proportion to their weights: one from each of out.size()
/// equal slices of their sum, which is unbiased and never varies more than independent draws. Their weights
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
template <RecordBatch B>
void records_difference(const B& batch, std::span<const Real> weights, ConstView y, ConstView from, View out,
                        Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View before = frame.take(out.size());
    batch.weighted_value_and_gradient(weights, y, out, scratch);
    batch.weighted_value_and_gradient(weights, from, before, scratch);
    subtract(out, before, out);
}

/// The same for a weighted sum of parts.
template <RecordBatch B>
void parts_difference(const B& batch, std::span<const WeightedPart> parts, ConstView y, ConstView from,
                      View out, Scratch& scratch) {
    Scratch::Frame frame(scratch);
    const View before = frame.take(out.size());
    parts_gradient(batch, parts, y, out, scratch);
    parts_gradient(batch, parts, from, before, scratch);
    subtract(out, before, out);
}

/// What an estimate's level is made of: sigma_0 of a base sample, and how the window adds up what is left.
Real noise_level(Real base_noise, std::span<const Real> weights, std::uint64_t samples, bool independent);

/// No noise. Base samples, where a difference asks for them, are whole records.
class ExactOracle {
  public:
    std::uint64_t samples() const noexcept { return 1; }
    bool exact() const noexcept { return true; }
    bool bounded() const noexcept { return true; }
    bool independent() const noexcept { return true; }
    std::optional<Real> level(std::span<const Real> /*weights*/, std::uint64_t /*samples*/) const {
        return 0;
    }
    template <RecordBatch B>
    void estimate(const OracleView<B>& window, const Ticket& /*ticket*/, std::uint64_t /*samples*/,
                  ConstView y, View out, Cost& cost, Scratch& scratch) const {
        window.batch.weighted_value_and_gradient(window.weights, y, out, scratch);
        cost.record_gradients += count_records(window.weights);
    }
    template <RecordBatch B>
    void answer(const B& batch, Index age, const Ticket& /*ticket*/, std::uint64_t /*samples*/, ConstView y,
                View out, Cost& cost, Scratch& scratch) const {
        batch.value_and_gradient(age, y, out, scratch);
        ++cost.record_gradients;
    }
    template <RecordBatch B>
    void difference(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                    ConstView from, View out, Cost& cost, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const View weights = drawn_weights(window.weights, ticket.shared(), samples, frame,
                                           [](Index /*sample*/, Index /*age*/) { return Real{1}; });
        records_difference(window.batch, weights, y, from, out, scratch);
        cost.record_gradients += 2 * count_records(weights);
    }
};

}  // namespace proxstream
