/// Inner solvers by name: one row each, and one type that holds any of them.
#pragma once

#include "proxstream/core/spec.hpp"

#include "solve/accelerated.hpp"
#include "solve/auto_inner.hpp"
#include "solve/backtracking.hpp"
#include "solve/compact.hpp"
#include "solve/confirmed.hpp"
#include "solve/gram.hpp"
#include "solve/panoc.hpp"
#include "solve/plane.hpp"
#include "solve/prox_grad.hpp"
#include "solve/window_spider.hpp"

#include <concepts>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace proxstream {

class AnyInner {
  public:
    using Held =
        std::variant<ProxGrad, Backtracking, Confirmed<SampledGradient>, Confirmed<WindowSpider>,
                     Confirmed<OwnMoves>, Panoc, Accelerated, PlaneSteps, CompactSteps, GramSteps, AutoInner>;

    /// `inner` is one of the alternatives of Held.
    template <class Inner>
    requires(!std::same_as<Inner, AnyInner>) explicit AnyInner(Inner inner)
        : held_(std::in_place_type<Inner>, std::move(inner)) {}

    StepClaim step_claim() const {
        return std::visit([](const auto& inner) { return inner.step_claim(); }, held_);
    }

    template <Regulariser G, class Model>
    InnerReport solve(Model& model, const G& g, Real reference_step, Real tolerance, const Budget& budget,
                      Iterate& iterate, Cost& cost, Scratch& scratch) {
        return std::visit(
            [&](auto& inner) {
                return inner.solve(model, g, reference_step, tolerance, budget, iterate, cost, scratch);
            },
            held_);
    }

    void serialise(StateArchive& archive) {
        std::visit([&](auto& inner) { inner.serialise(archive); }, held_);
    }

  private:
    Held held_;
};

struct InnerRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    AnyInner (*make)(const Spec& spec, Real claimed_smoothness);
};

std::span<const InnerRow> inner_solvers();

/// `claimed_smoothness` is the L a fixed step relies on; solvers that search their step ignore it.
AnyInner parse_inner(std::string_view text, Real claimed_smoothness);

}  // namespace proxstream
