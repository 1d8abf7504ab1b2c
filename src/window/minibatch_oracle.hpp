/// A few rows of each record in place of all of them.
#pragma once

#include "window/oracle.hpp"

#include <algorithm>

namespace proxstream {

class MinibatchOracle {
  public:
    /// `samples` rows of each record an answer, drawn with replacement or without; a record that has no more
    /// rows than asked for is then evaluated whole. `base_noise` is sigma_0, the root mean square distance of
    /// a row's gradient from its record's; nullopt: not known. No record has more than `record_rows` rows; 0:
    /// not known.
    MinibatchOracle(std::uint64_t samples, bool replace, std::optional<Real> base_noise, Index record_rows)
        : samples_(samples), replace_(replace), base_noise_(base_noise), record_rows_(record_rows) {}

    std::uint64_t samples() const noexcept { return samples_; }
    bool exact() const noexcept { return false; }
    bool bounded() const noexcept { return false; }
    bool independent() const noexcept { return true; }
    /// Without replacement the mean of b of R rows has (R - b)/(R - 1) of the variance that b free draws
    /// have.
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const;

    template <RecordBatch B>
    void estimate(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                  View out, Cost& cost, Scratch& scratch) const {
        Index most = 0;  // parts, if every record is drawn from
        bool whole = !replace_;
        for (Index age = 0; age < window.weights.size(); ++age) {
            if (window.weights[age] == 0) continue;
            const Index rows = part_count(window.batch, age);
            most += taken(rows, samples);
            whole = whole && rows <= samples;
        }
        cost.oracle_calls += count_records(window.weights);
        cost.base_samples += most;
        if (whole) {
            // All rows of all records: the window's own pass, bit for bit.
            window.batch.weighted_value_and_gradient(window.weights, y, out, scratch);
            return;
        }
        Scratch::Frame frame(scratch);
        const auto parts = frame.take<WeightedPart>(most);
        const auto rows = frame.take<Index>(most);
        Index used = 0;
        for (Index age = window.weights.size(); age-- > 0;) {
            if (window.weights[age] == 0) continue;
            const Index count = part_count(window.batch, age);
            const auto drawn = rows.subspan(used, taken(count, samples));
            draw_rows(ticket.of_record(age), count, drawn, scratch);
            const Real weight = window.weights[age] / static_cast<Real>(drawn.size());
            for (const Index row : drawn) parts[used++] = {age, row, weight};
        }
        parts_gradient(window.batch, parts, y, out, scratch);
    }

    template <RecordBatch B>
    void answer(const B& batch, Index age, const Ticket& ticket, std::uint64_t samples, ConstView y, View out,
                Cost& cost, Scratch& scratch) const {
        const Index count = part_count(batch, age);
        Scratch::Frame frame(scratch);
        const auto rows = frame.take<Index>(taken(count, samples));
        const auto parts = frame.take<WeightedPart>(rows.size());
        draw_rows(ticket.of_record(age), count, rows, scratch);
        for (Index i = 0; i < rows.size(); ++i) parts[i] = {age, rows[i], 1 / static_cast<Real>(rows.size())};
        parts_gradient(batch, parts, y, out, scratch);
        ++cost.oracle_calls;
        cost.base_samples += rows.size();
    }

    template <RecordBatch B>
    void difference(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                    ConstView from, View out, Cost& cost, Scratch& scratch) const {
        Scratch::Frame frame(scratch);
        const auto parts = frame.take<WeightedPart>(samples);
        draw_ages(window.weights, ticket.shared(), parts);
        for (Index i = 0; i < parts.size(); ++i) {
            Draw draw = ticket.of_record(parts[i].age);
            draw.sample = i;
            parts[i].part = uniform_below(draw, part_count(window.batch, parts[i].age));
        }
        parts_difference(window.batch, parts, y, from, out, scratch);
        cost.oracle_calls += 2 * parts.size();
        cost.base_samples += 2 * parts.size();
    }

  private:
    Index taken(Index rows, std::uint64_t samples) const {
        return replace_ ? samples : std::min<Index>(rows, samples);
    }
    /// Fills `rows` with rows of a record that has `count` of them.
    void draw_rows(Draw draw, Index count, std::span<Index> rows, Scratch& scratch) const;

    std::uint64_t samples_;
    bool replace_;
    std::optional<Real> base_noise_;
    Index record_rows_;
};

}  // namespace proxstream
