/// Oracles by name, and one type that holds any of them.
#pragma once

#include "window/callback_oracle.hpp"
#include "window/minibatch_oracle.hpp"
#include "window/noisy_oracle.hpp"
#include "window/window_weights.hpp"

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace proxstream {

class AnyOracle {
  public:
    using Held = std::variant<ExactOracle, MinibatchOracle, NoisyOracle, CallbackOracle>;

    /// `oracle` is one of the alternatives of Held.
    template <class Oracle>
    requires(!std::same_as<Oracle, AnyOracle>) explicit AnyOracle(Oracle oracle)
        : held_(std::in_place_type<Oracle>, std::move(oracle)) {}

    /// How it is called where no text describes it.
    std::string name() const {
        return std::visit(
            [](const auto& oracle) -> std::string {
                if constexpr (requires { oracle.name(); }) {
                    return oracle.name();
                } else {
                    return oracle.exact() ? "exact" : "sampled";
                }
            },
            held_);
    }
    std::uint64_t samples() const {
        return std::visit([](const auto& oracle) { return oracle.samples(); }, held_);
    }
    bool exact() const {
        return std::visit([](const auto& oracle) { return oracle.exact(); }, held_);
    }
    bool bounded() const {
        return std::visit([](const auto& oracle) { return oracle.bounded(); }, held_);
    }
    bool independent() const {
        return std::visit([](const auto& oracle) { return oracle.independent(); }, held_);
    }
    std::optional<Real> level(std::span<const Real> weights, std::uint64_t samples) const {
        return std::visit([&](const auto& oracle) { return oracle.level(weights, samples); }, held_);
    }
    template <RecordBatch B>
    void estimate(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                  View out, Cost& cost, Scratch& scratch) const {
        std::visit(
            [&](const auto& oracle) { oracle.estimate(window, ticket, samples, y, out, cost, scratch); },
            held_);
    }
    template <RecordBatch B>
    void answer(const B& batch, Index age, const Ticket& ticket, std::uint64_t samples, ConstView y, View out,
                Cost& cost, Scratch& scratch) const {
        std::visit(
            [&](const auto& oracle) { oracle.answer(batch, age, ticket, samples, y, out, cost, scratch); },
            held_);
    }
    template <RecordBatch B>
    void difference(const OracleView<B>& window, const Ticket& ticket, std::uint64_t samples, ConstView y,
                    ConstView from, View out, Cost& cost, Scratch& scratch) const {
        std::visit(
            [&](const auto& oracle) {
                oracle.difference(window, ticket, samples, y, from, out, cost, scratch);
            },
            held_);
    }

  private:
    Held held_;
};

/// What an oracle has to know of the run it answers in.
struct OracleContext {
    WindowWeights window = 1;
    std::optional<Real> base_noise = {};  // sigma_0 of a row's gradient, for minibatches
    Index record_rows = 0;                // most rows of a record; 0: not known
};

struct OracleRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
    AnyOracle (*make)(const class Spec& spec, const OracleContext& context);
};

std::span<const OracleRow> oracles();

/// Throws ConfigError with what is wrong.
AnyOracle parse_oracle(std::string_view text, const OracleContext& context);

}  // namespace proxstream
