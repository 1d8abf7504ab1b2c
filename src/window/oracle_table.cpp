#include "window/oracle_table.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include "core/find_row.hpp"
#include "window/minibatch_oracle.hpp"
#include "window/noisy_oracle.hpp"

#include <array>
#include <cmath>
#include <string>
#include <vector>

namespace proxstream {
namespace {

constexpr Real kMostSamples = 1e9;

bool choice(const Spec& spec, const char* key, const char* yes, const char* no, bool fallback) {
    const std::string text = spec.word_or(key, fallback ? yes : no);
    if (text != yes && text != no) {
        throw ConfigError("'" + spec.text() + "': " + key + " is " + yes + " or " + no + ", not '" + text +
                          "'");
    }
    return text == yes;
}

/// Base samples an answer, from `samples=K`, or from `sigma=S`. The latter takes as many as make the
/// estimate's deviation S/w, by what the window's weights leave of independent noise. With `calls=paper` it
/// reads S literally, call by call, as S_{sigma/w} of the paper. `population` rows drawn from without
/// replacement; 0: as many as one likes.
std::uint64_t samples_of(const Spec& spec, Real base_noise, bool independent, const OracleContext& context,
                         Index population = 0) {
    if (!spec.has("sigma")) {
        if (spec.has("calls")) {
            throw ConfigError("'" + spec.text() + "': calls= says how sigma= is reached; there is none");
        }
        const Index samples = spec.count_or("samples", 1);
        if (static_cast<Real>(samples) > kMostSamples) {
            throw ConfigError("'" + spec.text() + "': samples must be at most " + format_short(kMostSamples));
        }
        return samples;
    }
    const Real sigma = spec.number(Spec::kByNameOnly, "sigma");
    const bool by_call = choice(spec, "calls", "paper", "window", false);
    if (spec.has("samples")) throw ConfigError("'" + spec.text() + "': give samples or sigma, not both");
    if (!(sigma > 0 && sigma < kAbsurd)) {
        throw ConfigError("'" + spec.text() + "': sigma must be positive and finite");
    }
    std::vector<Real> weights;
    context.window.at(context.window.length(), weights);
    const Real one = by_call ? base_noise : noise_level(base_noise, weights, 1, independent);
    Real needed = std::pow(one * context.window.effective_length() / sigma, 2);
    if (population > 1) {
        // Without replacement fewer do: (R - b)/(b (R - 1)) in place of 1/b.
        const Real rows = static_cast<Real>(population);
        needed = rows / (1 + (rows - 1) / needed);
    }
    if (!(needed <= kMostSamples)) {
        throw ConfigError("'" + spec.text() + "': sigma = " + format_short(sigma) + " would take " +
                          format_short(needed) + " base samples an answer");
    }
    return static_cast<std::uint64_t>(std::max<Real>(1, std::ceil(needed * (1 - 4 * kUnitRoundoff))));
}

AnyOracle make_exact(const Spec& /*spec*/, const OracleContext& /*context*/) {
    return AnyOracle(ExactOracle{});
}

AnyOracle make_minibatch(const Spec& spec, const OracleContext& context) {
    const bool replace = choice(spec, "replace", "yes", "no", false);
    std::uint64_t samples = 0;
    if (spec.positional_count() > 0) {
        const Real given = spec.number(0, "rows");
        if (!(given >= 1 && given <= kMostSamples && given == std::floor(given))) {
            throw ConfigError("'" + spec.text() + "': the rows drawn of a record are a whole number from 1");
        }
        samples = static_cast<std::uint64_t>(given);
    } else if (spec.has("sigma") && !context.base_noise) {
        throw ConfigError("'" + spec.text() +
                          "': sigma= needs the deviation of a row's gradient, given by noise");
    } else {
        if (!spec.has("sigma")) {
            throw ConfigError("'" + spec.text() + "': say how many rows of a record to draw, as minibatch:8");
        }
        samples = samples_of(spec, *context.base_noise, true, context, replace ? 0 : context.record_rows);
    }
    return AnyOracle(MinibatchOracle(samples, replace, context.base_noise, context.record_rows));
}

template <NoiseModel::Kind kKind>
AnyOracle make_noisy(const Spec& spec, const OracleContext& context) {
    NoiseModel model;
    model.kind = kKind;
    model.sigma = spec.number(0, kKind == NoiseModel::Kind::dropout ? "probability" : "deviation");
    if constexpr (kKind == NoiseModel::Kind::heavy) {
        model.tail = spec.number_or(Spec::kByNameOnly, "tail", model.tail);
    }
    model.validate();
    const bool independent = choice(spec, "noise", "independent", "shared", true);
    if (!model.additive() && spec.has("sigma")) {
        throw ConfigError(
            "'" + spec.text() +
            "': sigma cannot choose the samples, because dropout has no fixed deviation; give samples");
    }
    if (model.bounded() && spec.has("sigma")) {
        throw ConfigError("'" + spec.text() +
                          "': averaging does not lower a bound that holds surely; give samples");
    }
    return AnyOracle(NoisyOracle(model, samples_of(spec, model.sigma, independent, context), independent));
}

constexpr std::array kOracles{
    OracleRow{"exact", "exact", "the records' own gradients", make_exact},
    OracleRow{"minibatch", "minibatch:ROWS[,replace=no] or minibatch:sigma=S",
              "a few rows drawn of each record, or as many as make the window's deviation S/w",
              make_minibatch},
    OracleRow{"sphere", "sphere:DEV[,samples=1,noise=independent|shared]",
              "exact gradients with noise of length DEV and random direction: bounded",
              make_noisy<NoiseModel::Kind::sphere>},
    OracleRow{"gaussian", "gaussian:DEV[,samples=1 | sigma=S,calls=window|paper]",
              "with normal noise, E|e|^2 = DEV^2", make_noisy<NoiseModel::Kind::gaussian>},
    OracleRow{"heavy", "heavy:DEV[,tail=2.5,...]",
              "with noise of the same variance whose length falls off like u^-tail",
              make_noisy<NoiseModel::Kind::heavy>},
    OracleRow{"dropout", "dropout:P[,samples=1,noise=..]",
              "gradients that are lost with probability P, and else scaled up to stay unbiased",
              make_noisy<NoiseModel::Kind::dropout>},
};

}  // namespace

std::span<const OracleRow> oracles() {
    return kOracles;
}

AnyOracle parse_oracle(std::string_view text, const OracleContext& context) {
    const Spec spec = Spec::parse(text);
    AnyOracle oracle = find_row(kOracles, "oracle", spec.name()).make(spec, context);
    spec.finish();
    return oracle;
}

}  // namespace proxstream
