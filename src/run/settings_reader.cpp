#include "run/settings_reader.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/core/spec.hpp"

#include "core/violations.hpp"
#include "loss/loss_table.hpp"
#include "run/lagged_reader.hpp"
#include "run/wrapped_reader.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace proxstream {
namespace {

constexpr Index kLongestLag = 1'000'000;
constexpr Index kMostLags = 10'000;

bool contains(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::optional<Index> parse_lag(std::string_view text) {
    Index lag = 0;
    const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), lag);
    if (status != std::errc{} || end != text.data() + text.size() || lag > kLongestLag) return std::nullopt;
    return lag;
}

/// "48" or "1..8" as first and last.
std::optional<std::pair<Index, Index>> parse_range(std::string_view text) {
    const std::size_t dots = text.find("..");
    const auto first = parse_lag(text.substr(0, dots));
    const auto last = dots == std::string_view::npos ? first : parse_lag(text.substr(dots + 2));
    if (!first || !last || *last < *first) return std::nullopt;
    return std::pair(*first, *last);
}

/// Why a lag would use values of the future; empty if it would not.
std::string foresight(Index lag, const RowSettings& settings, Index together) {
    const std::string what = "lags: " + std::to_string(lag) + " looks into the future: ";
    if (lag < settings.ahead) {
        return what + "with ahead = " + std::to_string(settings.ahead) + " only values at least " +
               std::to_string(settings.ahead) + " rows old are known when a row is predicted";
    }
    if (lag < together) {
        return what + "the " + std::to_string(together) +
               " rows of a record (batch) are predicted together, before any of their labels is known";
    }
    return {};
}

char delimiter_char(const std::string& name) {
    return name == "auto" ? '\0' : name == "tab" ? '\t' : name == "space" ? ' ' : name.front();
}

/// In the order of the targets.
std::vector<Real> class_weights_of(const RowSettings& settings) {
    std::vector<Real> weights;
    for (const std::string& text : settings.class_weights) {
        weights.push_back(parse_real(text, "class-weights"));
        if (!(weights.back() >= 0 && weights.back() < kAbsurd))
            throw ConfigError("class-weights: '" + text + "' is not a finite number of at least 0");
    }
    if (weights.empty()) return weights;
    const TargetRule rule = target_rule_of(settings);
    const Index classes = rule.kind == TargetKind::sign ? 2 : std::max(rule.classes.size(), rule.class_count);
    if (rule.kind == TargetKind::number || rule.kind == TargetKind::none || weights.size() != classes) {
        throw ConfigError("class-weights: " + std::to_string(weights.size()) + " given, the label of loss '" +
                          settings.loss + "' has " +
                          (classes == 0 ? "no classes" : std::to_string(classes) + " classes"));
    }
    return weights;
}

ReaderOptions reader_options(const RowSettings& settings, StopFlag stop) {
    ReaderOptions options;
    options.format = settings.format == "csv"      ? RowFormat::csv
                     : settings.format == "json"   ? RowFormat::json
                     : settings.format == "libsvm" ? RowFormat::libsvm
                                                   : RowFormat::detect;
    options.table.label = settings.label;
    options.table.features = settings.features;
    options.table.ignore = settings.ignore;
    options.table.lagged = settings.lag_columns;
    options.table.needs_features = settings.lags.empty();
    options.table.delimiter = delimiter_char(settings.delimiter);
    options.table.header = settings.header;
    options.table.text = settings.text;
    options.table.time = settings.time;
    options.table.weight = settings.weight;
    options.table.key = settings.key;
    options.table.class_weights = class_weights_of(settings);
    options.table.unlabelled = settings.predicts_unlabelled;
    options.table.missing = settings.missing == "mean";
    options.table.categories = settings.categories;
    options.table.hash_bits = settings.hash;
    options.table.look_ahead = settings.table ? 0 : settings.look_ahead;  // a model already knows its columns
    options.table.model = settings.table;
    options.table.predicts = settings.predicts;
    options.libsvm.dimension = settings.dimension;
    options.libsvm.zero_based = settings.zero_based;
    options.max_line = settings.max_line;
    options.target = target_rule_of(settings);
    options.stop = stop;
    return options;
}

/// Refuses options that need a numeric label, if the label is a class or absent.
void check_label(const RowSettings& settings, const RowReader& reader) {
    if (loss_target(settings.loss) == TargetKind::number) return;
    Violations violations;
    const auto refuse = [&](bool asked, const char* what) {
        violations.require(!asked,
                           "{}: the label of loss '{}' is not a number, so it cannot be computed with", what,
                           settings.loss);
    };
    refuse(!settings.lags.empty() &&
               (settings.lag_columns.empty() || contains(settings.lag_columns, reader.label_name())),
           "lags");
    refuse(settings.standardise_label, "standardise-label");
    violations.conclude();
}

/// Scales each row to length 1. A row of zeros stays as it is.
class NormalisedReader final : public WrappedReader {
  public:
    explicit NormalisedReader(std::unique_ptr<RowReader> inner)
        : WrappedReader(std::move(inner)), row_(sparse()) {}

    bool read_row(RowBlock& block) override {
        row_.clear();
        if (!inner().read_row(row_)) return false;
        const ConstView values = row_.values(0);
        // Divide by the largest value first: squares of very large or very small numbers overflow or vanish.
        const Real largest = max_abs(values);
        scaled_.assign(values.begin(), values.end());
        if (largest > 0) {
            for (Real& value : scaled_) value /= largest;
            const Real length = norm(scaled_);
            for (Real& value : scaled_) value /= length;
        }
        block.add_row(row_, 0);
        copy(scaled_, block.change_values(block.rows() - 1));
        return true;
    }
    std::vector<std::string> notes() const override {
        std::vector<std::string> notes = inner().notes();
        notes.emplace_back("rows are scaled to length 1");
        return notes;
    }

  private:
    RowBlock row_;
    std::vector<Real> scaled_;
};

}  // namespace

std::vector<Index> lags_of(const RowSettings& settings, Index together) {
    std::vector<Index> lags;
    Violations violations;
    for (const std::string& text : settings.lags) {
        const auto range = parse_range(text);
        if (!range || range->second - range->first >= kMostLags) {
            violations.require(false,
                               "lags: '{}' is not a lag: a whole number of rows up to {}, or FIRST..LAST "
                               "with at most {} of them",
                               text, kLongestLag, kMostLags);
            continue;
        }
        const std::string reason = foresight(range->first, settings, together);
        violations.refuse(!reason.empty(), reason);
        for (Index lag = range->first; lag <= range->second && lags.size() <= kMostLags; ++lag) {
            if (std::find(lags.begin(), lags.end(), lag) == lags.end()) lags.push_back(lag);
        }
    }
    violations.require(lags.size() <= kMostLags, "lags: at most {} are allowed", kMostLags);
    violations.require(!settings.lags.empty() || settings.ahead == 1, "ahead: has no meaning without lags");
    violations.require(!settings.lags.empty() || settings.lag_columns.empty(),
                       "lag-columns: has no meaning without lags");
    for (auto name = settings.lag_columns.begin(); name != settings.lag_columns.end(); ++name) {
        violations.require(std::find(settings.lag_columns.begin(), name, *name) == name,
                           "lag-columns: '{}' is named twice", *name);
    }
    violations.conclude();
    return lags;
}

TargetRule target_rule_of(const RowSettings& settings) {
    TargetRule rule;
    rule.kind = loss_target(settings.loss);
    rule.classes = settings.classes;
    rule.class_count = rule.kind == TargetKind::category && settings.classes.empty()
                           ? parse_loss(settings.loss, RowShape{.features = 1})->classes()
                           : 0;
    return rule;
}

std::unique_ptr<RowReader> open_reader(const RowSettings& settings, Index together, StopFlag stop) {
    return wrap_reader(settings, together, open_rows(settings.data, reader_options(settings, stop)));
}

std::unique_ptr<RowReader> wrap_reader(const RowSettings& settings, Index together,
                                       std::unique_ptr<RowReader> reader) {
    check_label(settings, *reader);
    // Before lags, so that changed labels also change the lags.
    if (settings.wrap_rows) reader = settings.wrap_rows(std::move(reader));
    if (settings.normalise) {
        if (!settings.lags.empty())
            throw ConfigError("normalise: past values would lose their units; leave out lags");
        return std::make_unique<NormalisedReader>(std::move(reader));
    }
    LagOptions lagging{.lags = lags_of(settings, together),
                       .columns = settings.lag_columns,
                       .past_only = {},
                       .past = settings.past};
    if (lagging.lags.empty()) return reader;
    for (const std::string& column : settings.lag_columns) {
        if (!contains(settings.features, column)) lagging.past_only.push_back(column);
    }
    return std::make_unique<LaggedReader>(std::move(reader), lagging);
}

}  // namespace proxstream
