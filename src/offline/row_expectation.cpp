#include "offline/row_expectation.hpp"

#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// Rows held at a time, and the fewest that a thread draws.
constexpr Index kTile = 64;
constexpr Index kLeastPiece = 256;
constexpr Index kMostPieces = 32;

}  // namespace

RowExpectation::RowExpectation(std::shared_ptr<const PassFamily> family, RowLaw law,
                               std::optional<SmoothnessFacts> smoothness)
    : family_(std::move(family)), law_(std::move(law)), smoothness_(std::move(smoothness)) {}

/// The sum of the samples' losses, each times `share`.
Real RowExpectation::piece(std::span<const SampleId> samples, Real share, ConstView x, View gradient,
                           Scratch& scratch) const {
    Scratch::Frame frame(scratch);
    const Index features = family_->features();
    const View rows = frame.take(std::min(samples.size(), kTile) * features);
    const View targets = frame.take(std::min(samples.size(), kTile));
    const View part = frame.take(gradient.size());
    Real total = 0;
    fill(gradient, 0);
    for (Index first = 0; first < samples.size(); first += kTile) {
        const Index count = std::min(kTile, samples.size() - first);
        for (Index i = 0; i < count; ++i) {
            targets[i] = law_(samples[first + i], rows.subspan(i * features, features));
        }
        const RecordRows tile{.rows = count,
                              .targets = targets.data(),
                              .dense = rows.data(),
                              .stride = features,
                              .share = share};
        total += family_->pass({&tile, 1}, x, part, scratch);
        axpy(1, part, gradient);
    }
    return total;
}

Real RowExpectation::mean(std::span<const SampleId> samples, ConstView x, View gradient,
                          Scratch& scratch) const {
    assert(!samples.empty() && gradient.size() == dimension());
    const Real share = 1 / static_cast<Real>(samples.size());
    const Index size = std::max(kLeastPiece, (samples.size() + kMostPieces - 1) / kMostPieces);
    const Index pieces = (samples.size() + size - 1) / size;
    if (pieces == 1) return piece(samples, share, x, gradient, scratch);

    Scratch::Frame frame(scratch);
    const View values = frame.take(pieces);
    const View gradients = frame.take(pieces * x.size());
    scratch.part(pieces - 1);
    parallel_for(pieces, [&](Index i) {
        const auto own = samples.subspan(i * size, std::min(size, samples.size() - i * size));
        values[i] = piece(own, share, x, gradients.subspan(i * x.size(), x.size()), scratch.part(i));
    });
    Real total = 0;
    fill(gradient, 0);
    for (Index i = 0; i < pieces; ++i) {
        total += values[i];
        axpy(1, gradients.subspan(i * x.size(), x.size()), gradient);
    }
    return total;
}

Real RowExpectation::f(ConstView /*x*/, View /*gradient*/, Scratch& /*scratch*/) const {
    assert(knows_f());  // there is no closed form
    return std::numeric_limits<Real>::quiet_NaN();
}

}  // namespace proxstream
