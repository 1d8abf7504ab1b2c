/// Gradients of a window kept up by differences from about sqrt(w) of its records (SPIDER; Fang, Li, Lin &
/// Zhang 2018), between exact passes: for (T4), the cheap updates of Confirmed. A step then costs about 2
/// sqrt(w) record gradients instead of w (section 9 of docs/theory.md, finite windows: B = w, q = b =
/// sqrt(w)).
#pragma once

#include "proxstream/core/linalg.hpp"

#include "solve/confirmed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace proxstream {

class WindowSpider {
  public:
    /// `samples`: records an update looks at; `restart`: updates between exact passes. 0: sqrt(w) of each.
    WindowSpider(Index samples, std::uint64_t restart) : samples_(samples), restart_(restart) {}

    std::uint64_t updates() const noexcept { return updates_; }

    /// A pass is w gradients, an update two a sample.
    template <SampledWindow Model>
    bool worthwhile(const Model& model) const {
        return 4 * samples_of(model.size()) <= model.size();
    }

    template <SampledWindow Model>
    void begin(Model& model, ConstView anchor, Scratch& /*scratch*/) {
        const Index size = model.size();
        stride_ = std::max<Index>(size / samples_of(size), 1);
        updates_ = restart_ > 0 ? restart_ : root(size);
        before_.assign(anchor.begin(), anchor.end());
        estimate_.assign(model.gradient().begin(), model.gradient().end());
    }

    /// Every update looks at other records, evenly spread over the window, so that a stretch sees most of it.
    template <SampledWindow Model>
    void gradient(Model& model, ConstView y, View out, Scratch& scratch) {
        sample_evenly(model.live_weights(), stride_, turn_++ % stride_, sampled_);
        Scratch::Frame frame(scratch);
        const View there = frame.take(y.size());
        model.weighted_gradient(sampled_, y, out, scratch);
        model.weighted_gradient(sampled_, before_, there, scratch);
        for (Index i = 0; i < out.size(); ++i) estimate_[i] += out[i] - there[i];
        copy(estimate_, out);
        copy(y, before_);
    }

    void serialise(StateArchive& archive) { archive.field("turn", turn_); }

  private:
    static Index root(Index size) {
        return std::max<Index>(static_cast<Index>(std::lround(std::sqrt(static_cast<Real>(size)))), 1);
    }
    Index samples_of(Index size) const { return samples_ > 0 ? samples_ : root(size); }

    Index samples_;
    std::uint64_t restart_;
    Index turn_ = 0;
    Index stride_ = 1;
    std::uint64_t updates_ = 0;
    std::vector<Real> sampled_;   // weights by age, 0 for what is left out
    std::vector<Real> before_;    // where the estimate was brought up to last
    std::vector<Real> estimate_;  // v
};

}  // namespace proxstream
