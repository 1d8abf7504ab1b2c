#include "window/minibatch_oracle.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {

std::optional<Real> MinibatchOracle::level(std::span<const Real> weights, std::uint64_t samples) const {
    if (!base_noise_) return std::nullopt;
    const Real level = noise_level(*base_noise_, weights, samples, true);
    if (replace_ || record_rows_ < 2) return level;
    if (samples >= record_rows_) return 0;
    return level * std::sqrt(static_cast<Real>(record_rows_ - samples) / static_cast<Real>(record_rows_ - 1));
}

void MinibatchOracle::draw_rows(Draw draw, Index count, std::span<Index> rows, Scratch& scratch) const {
    if (replace_) {
        for (Index i = 0; i < rows.size(); ++i) {
            draw.sample = i;
            rows[i] = uniform_below(draw, count);
        }
        return;
    }
    if (rows.size() == count) {
        for (Index i = 0; i < count; ++i) rows[i] = i;
        return;
    }
    // Floyd's subset: the i-th draw is from the first count - rows + i + 1, and stands for the last of them
    // if it is already taken.
    Scratch::Frame frame(scratch);
    const auto taken = frame.take<unsigned char>(count);
    std::fill(taken.begin(), taken.end(), static_cast<unsigned char>(0));
    for (Index i = 0; i < rows.size(); ++i) {
        const Index last = count - rows.size() + i;
        draw.sample = i;
        Index row = uniform_below(draw, last + 1);
        if (taken[row] != 0) row = last;
        taken[row] = 1;
        rows[i] = row;
    }
}

void MinibatchOracle::estimate(const OracleView& window, const OracleCall& call, ConstView y,
                               View out) const {
    Index most = 0;  // parts, if every record is drawn from
    bool whole = !replace_;
    for (Index age = 0; age < window.weights.size(); ++age) {
        if (window.weights[age] == 0) continue;
        const Index rows = part_count(window.batch, age);
        most += taken(rows, call.samples);
        whole = whole && rows <= call.samples;
    }
    call.cost.oracle_calls += count_records(window.weights);
    call.cost.base_samples += most;
    if (whole) {
        // All rows of all records: the window's own pass, bit for bit.
        window.batch.weighted_value_and_gradient(window.weights, y, out, call.scratch);
        return;
    }
    Scratch::Frame frame(call.scratch);
    const auto parts = frame.take<WeightedPart>(most);
    const auto rows = frame.take<Index>(most);
    Index used = 0;
    for (Index age = window.weights.size(); age-- > 0;) {
        if (window.weights[age] == 0) continue;
        const Index count = part_count(window.batch, age);
        const auto drawn = rows.subspan(used, taken(count, call.samples));
        draw_rows(call.ticket.of_record(age), count, drawn, call.scratch);
        const Real weight = window.weights[age] / static_cast<Real>(drawn.size());
        for (const Index row : drawn) parts[used++] = {age, row, weight};
    }
    parts_gradient(window.batch, parts, y, out, call.scratch);
}

void MinibatchOracle::answer(const AnyBatch& batch, Index age, const OracleCall& call, ConstView y,
                             View out) const {
    const Index count = part_count(batch, age);
    Scratch::Frame frame(call.scratch);
    const auto rows = frame.take<Index>(taken(count, call.samples));
    const auto parts = frame.take<WeightedPart>(rows.size());
    draw_rows(call.ticket.of_record(age), count, rows, call.scratch);
    for (Index i = 0; i < rows.size(); ++i) parts[i] = {age, rows[i], 1 / static_cast<Real>(rows.size())};
    parts_gradient(batch, parts, y, out, call.scratch);
    ++call.cost.oracle_calls;
    call.cost.base_samples += rows.size();
}

void MinibatchOracle::difference(const OracleView& window, const OracleCall& call, ConstView y,
                                 ConstView from, View out) const {
    Scratch::Frame frame(call.scratch);
    const auto parts = frame.take<WeightedPart>(call.samples);
    draw_ages(window.weights, call.ticket.shared(), parts);
    for (Index i = 0; i < parts.size(); ++i) {
        Draw draw = call.ticket.of_record(parts[i].age);
        draw.sample = i;
        parts[i].part = uniform_below(draw, part_count(window.batch, parts[i].age));
    }
    const View before = frame.take(out.size());
    parts_gradient(window.batch, parts, y, out, call.scratch);
    parts_gradient(window.batch, parts, from, before, call.scratch);
    subtract(out, before, out);
    call.cost.oracle_calls += 2 * parts.size();
    call.cost.base_samples += 2 * parts.size();
}

}  // namespace proxstream
