#include "loss/mlp_family.hpp"

#include "proxstream/core/linalg.hpp"

#include "core/violations.hpp"
#include "loss/softmax.hpp"

#include <algorithm>
#include <cassert>
#include <utility>

namespace proxstream {
namespace {

/// Rows of data as columns of a tile, each with its target and its share of the sum.
class Rows {
  public:
    Rows(const Perceptron& network, Index rows, bool with_slopes, Scratch::Frame& frame)
        : tile_(network, std::min(rows, Perceptron::Tile::kUsual), with_slopes, frame),
          targets_(frame.take(tile_.room())),
          shares_(frame.take(tile_.room())) {}

    bool full() const { return held_ == tile_.room(); }
    Index held() const { return held_; }

    /// Without its target, to ask for its output alone.
    void add(const RowBlock& record, Index row) { write_row(record, row, next_column(0, 0)); }
    void add(const RecordRows& record, Index row) {
        record.write(row, next_column(record.targets[row], record.share));
    }

    /// The outputs of every held row, a column each.
    View forward(ConstView x) { return tile_.forward(x, held_); }

    /// Turns outputs into share times their slopes; returns the sum of share times loss.
    Real judge(const MlpOptions& options, View outputs) const {
        const Index width = outputs.size() / held_;
        Real total = 0;
        for (Index column = 0; column < held_; ++column) {
            const View output = outputs.subspan(column * width, width);
            if (options.classes > 0) {
                total += shares_[column] * softmax_loss(output, targets_[column], shares_[column]);
                continue;
            }
            const LossPoint point = evaluate(options.loss, output[0], targets_[column]);
            total += shares_[column] * point.value;
            output[0] = shares_[column] * point.slope;
        }
        return total;
    }

    /// Adds the gradient of the held rows, whose outputs judge() has turned into slopes.
    void backward(ConstView x, View gradient) { tile_.backward(x, gradient); }

    void clear() { held_ = 0; }

  private:
    View next_column(Real target, Real share) {
        assert(!full());
        targets_[held_] = target;
        shares_[held_] = share;
        return tile_.input(held_++);
    }

    Perceptron::Tile tile_;
    View targets_;
    View shares_;
    Index held_ = 0;
};

MlpOptions checked(MlpOptions options) {
    Violations violations;
    violations.require(options.features > 0, "a network needs at least one feature");
    violations.require(options.classes != 1, "softmax needs at least 2 classes");
    for (const Index width : options.hidden)
        violations.require(width > 0, "a hidden layer needs at least one unit");
    violations.conclude();
    check_parameters(options.loss);
    return options;
}

}  // namespace

MlpFamily::MlpFamily(MlpOptions options)
    : options_(checked(std::move(options))),
      network_(options_.features, options_.hidden, std::max<Index>(options_.classes, 1),
               options_.activation) {}

TargetKind MlpFamily::target_kind() const {
    return options_.classes > 0 ? TargetKind::category : proxstream::target_kind(options_.loss.formula);
}

Real MlpFamily::pass(std::span<const RecordRows> records, ConstView x, View gradient,
                     Scratch& scratch) const {
    check_lengths(x, gradient);
    const bool with_slopes = !gradient.empty();
    fill(gradient, 0);
    Index count = 0;
    for (const RecordRows& record : records) count += record.rows;
    Scratch::Frame frame(scratch);
    Rows rows(network_, count, with_slopes, frame);
    Real total = 0;
    const auto work_off = [&] {
        total += rows.judge(options_, rows.forward(x));
        if (with_slopes) rows.backward(x, gradient);
        rows.clear();
    };
    for (const RecordRows& record : records) {
        for (Index row = 0; row < record.rows; ++row) {
            rows.add(record, row);
            if (rows.full()) work_off();
        }
    }
    if (rows.held() > 0) work_off();
    return total;
}

Real MlpFamily::predict(const RowBlock& record, Index row, ConstView x, Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    Rows rows(network_, 1, false, frame);
    rows.add(record, row);
    const View outputs = rows.forward(x);
    return options_.classes == 0 ? outputs[0] : most_likely(outputs);
}

bool MlpFamily::probabilities(const RowBlock& record, Index row, ConstView x, View out,
                              Scratch& scratch) const {
    if (options_.classes == 0) {
        return has_probabilities() && sign_probabilities(predict(record, row, x, scratch), out);
    }
    Scratch::Frame frame(scratch);
    Rows rows(network_, 1, false, frame);
    rows.add(record, row);
    copy(rows.forward(x), out);
    softmax(out);
    return true;
}

void MlpFamily::start(View x, std::uint64_t seed) const {
    network_.start(x, seed);
}

}  // namespace proxstream
