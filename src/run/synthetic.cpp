#include "run/synthetic.hpp"

#include "proxstream/core/draw.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "run/builtin_text.hpp"
#include "run/sparse_synthetic.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <numbers>

namespace proxstream {
namespace {

struct NamedStream {
    SyntheticKind kind;
    std::string_view name;
};
constexpr std::array kStreams{
    NamedStream{SyntheticKind::drift, "drift"}, NamedStream{SyntheticKind::swap, "switch"},
    NamedStream{SyntheticKind::season, "season"}, NamedStream{SyntheticKind::iid, "iid"}};

/// Each purpose draws with its own record number, so that draws are independent.
enum Purpose : std::uint32_t { kFeature, kNoise, kOutlier, kPlace, kAngle, kSize, kSign };

std::vector<std::string> violations(const SyntheticOptions& o, TargetKind target) {
    std::vector<std::string> found;
    const auto require = [&](bool holds, const char* what) {
        if (!holds) found.push_back(std::string("built-in stream: ") + what);
    };
    require(o.rows > 0, "rows must be at least 1");
    require(o.features > 0 && o.features <= 10'000'000, "features must be from 1 to 10000000");
    require(o.active > 0 && o.active <= o.features, "active must be from 1 to features");
    require(o.jump > 0, "jump must be at least 1");
    require(o.period > 0, "period must be at least 1");
    require(o.noise >= 0 && o.noise <= 1e100, "noise must be from 0 to 1e100");
    require(o.degrees > 0 && o.degrees <= 1000, "degrees must be from 1 to 1000");
    require(o.outliers >= 0 && o.outliers <= 1, "outliers is a share: from 0 to 1");
    require(o.outlier_size >= 0 && o.outlier_size <= 1e100, "outlier_size must be from 0 to 1e100");
    require(target != TargetKind::category, "its target is a number or a sign, not a category");
    return found;
}

}  // namespace

SyntheticOptions SyntheticOptions::parse(std::string_view text) {
    const Spec spec = builtin_spec(text);
    const auto entry = std::find_if(kStreams.begin(), kStreams.end(),
                                    [&](const NamedStream& e) { return e.name == spec.name(); });
    if (entry == kStreams.end()) {
        std::vector<std::string> known;
        for (const NamedStream& e : kStreams) known.emplace_back(e.name);
        known.emplace_back(SparseSyntheticOptions::kName);
        throw ConfigError(unknown_name("built-in stream", spec.name(), known));
    }
    SyntheticOptions options;
    options.kind = entry->kind;
    options.rows = whole_number(spec, "rows", options.rows);
    options.features = whole_number(spec, "features", options.features);
    options.seed = whole_number(spec, "seed", options.seed);
    options.active = whole_number(spec, "active", std::min(options.active, options.features));
    options.jump = whole_number(spec, "jump", options.jump);
    options.period = whole_number(spec, "period", options.period);
    options.noise = spec.number_or(Spec::kByNameOnly, "noise", options.noise);
    options.degrees = whole_number(spec, "degrees", options.degrees);
    options.outliers = spec.number_or(Spec::kByNameOnly, "outliers", options.outliers);
    options.outlier_size = spec.number_or(Spec::kByNameOnly, "outlier_size", options.outlier_size);
    spec.finish();
    return options;
}

SyntheticReader::SyntheticReader(SyntheticOptions options, TargetKind target)
    : options_(options), target_(target) {
    if (auto found = violations(options_, target_); !found.empty()) throw ConfigError(std::move(found));
    const auto entry = std::find_if(kStreams.begin(), kStreams.end(),
                                    [&](const NamedStream& e) { return e.kind == options_.kind; });
    source_ = std::string(kBuiltinPrefix) + std::string(entry->name);
    row_.resize(options_.features);
    names_.reserve(options_.features);
    for (Index i = 0; i < options_.features; ++i) names_.push_back("x" + std::to_string(i + 1));
}

/// Slot s of the active weights chooses its feature among those with index s modulo `active`. So slots never
/// collide, and exactly `active` weights are non-zero, except when a rotation passes through zero.
void SyntheticReader::weights(std::uint64_t t, View out) const {
    fill(out, 0);
    const Index active = options_.active;
    const std::uint64_t epoch = (t - 1) / options_.jump;
    const Real turn = 2 * std::numbers::pi * static_cast<Real>((t - 1) % options_.period) /
                      static_cast<Real>(options_.period);
    for (Index slot = 0; slot < active; ++slot) {
        std::uint64_t version = 0;  // how often the slot's feature and size were replaced
        if (options_.kind == SyntheticKind::drift) version = (epoch + slot % 2) / 2;
        if (options_.kind == SyntheticKind::swap) version = epoch % 2;
        const auto draw = [&](Purpose purpose, Index index) {
            return Draw{options_.seed, version, purpose, 0, index};
        };
        const Index choices = (options_.features - slot - 1) / active + 1;
        const Index place = slot + active * uniform_below(draw(kPlace, slot), choices);
        Real weight = 0.5 + uniform(draw(kSize, slot));
        if (options_.kind == SyntheticKind::drift && (slot % 2 == 1 || slot + 1 < active)) {
            // Slots 2i and 2i+1 are the coordinates of one vector that rotates at constant length.
            const Draw pair{options_.seed, 0, kAngle, 0, slot / 2};
            const Real angle = 2 * std::numbers::pi * uniform(pair) + turn;
            weight = (0.5 + uniform({options_.seed, 0, kSize, 1, slot / 2})) *
                     (slot % 2 == 0 ? std::cos(angle) : std::sin(angle));
        } else if (uniform(draw(kSign, slot)) < 0.5) {
            weight = -weight;
        }
        if (options_.kind == SyntheticKind::season) {
            weight *= 1 + 0.8 * std::sin(turn + 2 * std::numbers::pi * uniform(draw(kAngle, slot)));
        }
        out[place] = weight;
    }
}

/// Student's t (a normal over the root of a mean of squared normals), and rare gross errors.
Real SyntheticReader::noise(std::uint64_t t) const {
    Real squares = 0;
    for (Index i = 1; i <= options_.degrees; ++i) {
        const Real z = normal({options_.seed, t, kNoise, 0, i});
        squares += z * z;
    }
    const Real student =
        normal({options_.seed, t, kNoise, 0, 0}) / std::sqrt(squares / static_cast<Real>(options_.degrees));
    Real error = options_.noise * student;
    if (uniform({options_.seed, t, kOutlier, 0, 0}) < options_.outliers) {
        error += options_.outlier_size * normal({options_.seed, t, kOutlier, 0, 1});
    }
    return error;
}

Real SyntheticReader::row(std::uint64_t t, View features) const {
    weights(t, features);
    Real response = 0;
    for (Index i = 0; i < features.size(); ++i) {
        const Real weight = features[i];
        features[i] = normal({options_.seed, t, kFeature, 0, i});
        response += weight * features[i];
    }
    response += noise(t);
    if (target_ == TargetKind::none) return 0;
    if (target_ == TargetKind::sign) return response < 0 ? -1 : 1;
    return response;
}

bool SyntheticReader::read_row(RowBlock& block) {
    assert(!block.sparse());
    if (next_row_ > options_.rows) return false;
    const Real response = row(next_row_++, row_);
    block.add_dense(row_, response);
    return true;
}

std::unique_ptr<RowReader> open_builtin(std::string_view text, TargetKind target) {
    if (builtin_spec(text).name() == SparseSyntheticOptions::kName) {
        return std::make_unique<SparseSyntheticReader>(SparseSyntheticOptions::parse(text), target);
    }
    return std::make_unique<SyntheticReader>(SyntheticOptions::parse(text), target);
}

}  // namespace proxstream
