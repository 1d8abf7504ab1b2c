#include "run/metrics.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

namespace proxstream {
namespace {

constexpr int kMantissaBits = 7;  // cells per factor of 2, as a power of 2
constexpr std::uint64_t kOctaves = 16;
constexpr std::uint64_t kSide = kOctaves << kMantissaBits;  // cells on each side of 0
constexpr Real kSmallest = 0x1p-8;
/// As in other libraries, so that one row of probability 0 does not make the mean infinite.
constexpr Real kLeastProbability = 1e-15;

/// The leading bits of a positive number increase with it, so they can number the cells.
std::uint64_t leading_bits(Real value) {
    return std::bit_cast<std::uint64_t>(value) >> (52U - kMantissaBits);
}

Index cell_of(Real score) {
    const Real size = std::abs(score);
    if (size < kSmallest) return kSide;
    const std::uint64_t place = 1 + leading_bits(size) - leading_bits(kSmallest);
    const std::uint64_t step = std::min(place, kSide);
    return score < 0 ? kSide - step : kSide + step;
}

/// Counts pairs by adding groups of rows with equal scores, in ascending order of scores.
struct OrderedPairs {
    Real positive = 0, negative = 0;
    Real ordered = 0;  // pairs in order; ties count one half
    Real tied = 0;

    void add(Real more_positive, Real more_negative) {
        ordered += more_positive * (negative + more_negative / 2);
        tied += more_positive * more_negative;
        positive += more_positive;
        negative += more_negative;
    }
    Real pairs() const { return positive * negative; }
    Real area() const { return pairs() > 0 ? ordered / pairs() : kNotKnown; }
};

/// `signed_weights`: positive for rows of the positive class.
Real exact_area(const std::vector<Real>& scores, const std::vector<Real>& signed_weights) {
    std::vector<Index> order(scores.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return scores[a] < scores[b]; });
    OrderedPairs pairs;
    for (Index i = 0; i < order.size();) {
        Real positive = 0, negative = 0;
        const Real score = scores[order[i]];
        for (; i < order.size() && scores[order[i]] == score; ++i) {
            const Real weight = signed_weights[order[i]];
            (weight > 0 ? positive : negative) += std::abs(weight);
        }
        pairs.add(positive, negative);
    }
    return pairs.area();
}

Real signed_weight(const ScoredRow& row) {
    return row.label > 0 ? row.weight : -row.weight;
}

}  // namespace

void AreaUnderCurve::add(const ScoredRow& row) {
    if (std::isnan(row.prediction)) return;
    if (positive_.empty() && scores_.size() < kExactRows) {
        scores_.push_back(row.prediction);
        signed_weights_.push_back(signed_weight(row));
        return;
    }
    if (positive_.empty()) pour();
    count(row.prediction, row.label > 0 ? row.weight : 0, row.label > 0 ? 0 : row.weight);
}

void AreaUnderCurve::count(Real score, Real positive, Real negative) {
    const Index cell = cell_of(score);
    positive_[cell] += positive;
    negative_[cell] += negative;
}

/// Moves the scores from the exact list to the grid.
void AreaUnderCurve::pour() {
    positive_.assign(2 * kSide + 1, 0);
    negative_.assign(2 * kSide + 1, 0);
    for (Index i = 0; i < scores_.size(); ++i)
        count(scores_[i], std::max(signed_weights_[i], 0.0), std::max(-signed_weights_[i], 0.0));
    scores_.clear();
    signed_weights_.clear();
}

AreaUnderCurve::Value AreaUnderCurve::value() const {
    if (positive_.empty()) return {exact_area(scores_, signed_weights_), 0};
    OrderedPairs pairs;
    for (Index cell = 0; cell < positive_.size(); ++cell) pairs.add(positive_[cell], negative_[cell]);
    return {pairs.area(), pairs.pairs() > 0 ? pairs.tied / 2 / pairs.pairs() : 0};
}

/// Most cells are empty, so only the others are written.
void AreaUnderCurve::serialise(StateArchive& archive) {
    std::vector<std::uint32_t> cells;
    std::vector<Real> positive, negative;
    for (Index cell = 0; cell < positive_.size(); ++cell) {
        if (positive_[cell] + negative_[cell] == 0) continue;
        cells.push_back(static_cast<std::uint32_t>(cell));
        positive.push_back(positive_[cell]);
        negative.push_back(negative_[cell]);
    }
    archive.fields(Field{"scores", scores_}, Field{"signed weights", signed_weights_}, Field{"cells", cells},
                   Field{"positive", positive}, Field{"negative", negative});
    if (!archive.reading()) return;
    archive.require(scores_.size() == signed_weights_.size() && cells.size() == positive.size() &&
                        cells.size() == negative.size(),
                    "lists of equal length");
    positive_.clear();
    if (cells.empty()) return;
    archive.require(scores_.empty(), "a list of scores or a grid, not both");
    pour();
    for (Index i = 0; i < cells.size(); ++i) {
        archive.require(cells[i] < positive_.size(), "cells of the grid");
        positive_[cells[i]] = positive[i];
        negative_[cells[i]] = negative[i];
    }
}

void MetricSums::add(TargetKind kind, const ScoredRow& row) {
    weight += row.weight;
    if (!std::isnan(row.loss)) {
        loss += row.weight * row.loss;
        loss_weight += row.weight;
    }
    if (kind == TargetKind::number) {
        const Real error = row.prediction - row.label;
        absolute += row.weight * std::abs(error);
        squares += row.weight * error * error;
        const Real shift = row.label - mean;
        mean += row.weight / weight * shift;
        spread += row.weight * shift * (row.label - mean);
        return;
    }
    if (kind == TargetKind::none) return;
    const Real chance = row.probability;
    log_loss -= row.weight * std::log(chance < kLeastProbability ? kLeastProbability : chance);
    const auto place = [&](Real value) {
        if (kind == TargetKind::sign) return std::isnan(value) ? right.size() : Index{value < 0 ? 0U : 1U};
        return value >= 0 && value < static_cast<Real>(right.size()) ? static_cast<Index>(value)
                                                                     : right.size();
    };
    const Index guess = place(row.prediction);
    const Index truth = place(row.label);
    if (guess < right.size()) predicted[guess] += row.weight;
    if (truth < right.size()) labelled[truth] += row.weight;
    if (guess == truth && truth < right.size()) right[truth] += row.weight;
}

void MetricSums::serialise(StateArchive& archive) {
    archive.fields(Field{"weight", weight}, Field{"loss", loss}, Field{"loss weight", loss_weight},
                   Field{"absolute", absolute}, Field{"squares", squares}, Field{"mean", mean},
                   Field{"spread", spread}, Field{"log loss", log_loss});
    archive.fixed("right", right);
    archive.fixed("predicted", predicted);
    archive.fixed("labelled", labelled);
}

namespace {

Real f_one(const MetricSums& sums, Index place) {
    const Real both = sums.predicted[place] + sums.labelled[place];
    return both > 0 ? 2 * sums.right[place] / both : kNotKnown;
}

Real macro_f_one(const MetricSums& sums) {
    Real sum = 0, count = 0;
    for (Index place = 0; place < sums.right.size(); ++place) {
        const Real each = f_one(sums, place);
        if (std::isnan(each)) continue;
        sum += each;
        count += 1;
    }
    return count > 0 ? sum / count : kNotKnown;
}

}  // namespace

Metrics::Metrics(TargetKind kind, Index classes, Index recent)
    : kind_(kind), window_(recent), sums_(kind == TargetKind::sign ? 2 : classes) {}

void Metrics::add(const ScoredRow& row) {
    sums_.add(kind_, row);
    if (kind_ == TargetKind::sign) area_.add(row);
    ++rows_;
    if (ring_.size() < window_) {
        ring_.push_back(row);
    } else if (window_ > 0) {
        ring_[oldest_] = row;
        oldest_ = oldest_ + 1 == window_ ? 0 : oldest_ + 1;
    }
}

std::vector<Metric> Metrics::figures(const MetricSums& sums, Real area) const {
    const auto mean = [&](Real sum) { return sums.weight > 0 ? sum / sums.weight : kNotKnown; };
    const Real loss = sums.loss_weight > 0 ? sums.loss / sums.loss_weight : kNotKnown;
    const Real accuracy = mean(std::accumulate(sums.right.begin(), sums.right.end(), Real{0}));
    switch (kind_) {
        case TargetKind::number:
            return {{"loss", loss},
                    {"mae", mean(sums.absolute)},
                    {"rmse", std::sqrt(mean(sums.squares))},
                    {"r2", sums.spread > 0 ? 1 - sums.squares / sums.spread : kNotKnown}};
        case TargetKind::sign:
            return {{"loss", loss},
                    {"accuracy", accuracy},
                    {"log_loss", mean(sums.log_loss)},
                    {"auc", area},
                    {"f1", f_one(sums, 1)}};
        case TargetKind::category:
            return {{"loss", loss},
                    {"accuracy", accuracy},
                    {"log_loss", mean(sums.log_loss)},
                    {"macro_f1", macro_f_one(sums)}};
        default:
            return {{"loss", loss}};
    }
}

std::vector<Metric> Metrics::all() const {
    return figures(sums_, area_.value().area);
}

std::vector<Metric> Metrics::recent() const {
    MetricSums sums(sums_.right.size());
    std::vector<Real> scores, weights;
    for (Index i = 0; i < ring_.size(); ++i) {
        const ScoredRow& row = ring_[(oldest_ + i) % ring_.size()];
        sums.add(kind_, row);
        if (kind_ != TargetKind::sign || std::isnan(row.prediction)) continue;
        scores.push_back(row.prediction);
        weights.push_back(signed_weight(row));
    }
    return figures(sums, exact_area(scores, weights));
}

void Metrics::serialise(StateArchive& archive) {
    archive.agree("sliding window", window_);
    std::vector<Real> flat;
    for (Index i = 0; i < ring_.size(); ++i) {
        const ScoredRow& row = ring_[(oldest_ + i) % ring_.size()];
        flat.insert(flat.end(), {row.prediction, row.label, row.weight, row.probability, row.loss});
    }
    archive.fields(Field{"rows", rows_}, Field{"sums", sums_}, Field{"area", area_},
                   Field{"newest rows", flat});
    if (!archive.reading()) return;
    archive.require(flat.size() % 5 == 0 && flat.size() / 5 <= window_, "the rows of a window");
    ring_.clear();
    oldest_ = 0;
    for (Index i = 0; i < flat.size(); i += 5)
        ring_.push_back({flat[i], flat[i + 1], flat[i + 2], flat[i + 3], flat[i + 4]});
}

Real value_of(const std::vector<Metric>& metrics, std::string_view name) {
    const auto found =
        std::find_if(metrics.begin(), metrics.end(), [&](const Metric& each) { return each.name == name; });
    return found == metrics.end() ? kNotKnown : found->value;
}

}  // namespace proxstream
