#include "run/predictor.hpp"

#include "proxstream/core/error.hpp"

#include "loss/loss_table.hpp"
#include "run/checked_reader.hpp"
#include "run/fed_reader.hpp"
#include "run/learn_defaults.hpp"
#include "run/settings_reader.hpp"
#include "run/wrapped_reader.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace proxstream {
namespace {

/// Adds rows without features and label after those of another reader.
class HorizonReader final : public WrappedReader {
  public:
    HorizonReader(std::unique_ptr<RowReader> rows, Index horizon)
        : WrappedReader(std::move(rows)), left_(horizon) {}

    bool read_row(RowBlock& block) override {
        if (!over_ && inner().read_row(block)) return true;
        over_ = true;
        if (left_ == 0) return false;
        --left_;
        block.add_dense({}, std::numeric_limits<Real>::quiet_NaN());
        return true;
    }
    std::uint64_t line() const override { return over_ ? 0 : inner().line(); }

  private:
    Index left_;
    bool over_ = false;
};

/// Columns of numbers, for models whose rows had names but were not those of a table.
TableState numbers(const std::vector<std::string>& names) {
    TableState table;
    for (const std::string& name : names) table.columns.push_back({.name = name});
    return table;
}

}  // namespace

Predictor::Predictor(Model model, RowSettings settings, Index horizon, StopFlag stop)
    : model_(std::move(model)), settings_(std::move(settings)) {
    settings_.loss = settings_.reg = "auto";
    adopt(model_, settings_);
    if (!model_.table && !model_.features.empty()) settings_.table = numbers(model_.features);
    if (settings_.dimension == 0) settings_.dimension = model_.feature_count;
    settings_.predicts = settings_.predicts_unlabelled = true;
    settings_.past = model_.past;
    // Lags drop the present values of these columns, so the names must not be required as features.
    settings_.features.clear();
    for (const std::string& column : model_.lag_columns) {
        const auto& past = model_.past_only;
        if (std::find(past.begin(), past.end(), column) == past.end()) settings_.features.push_back(column);
    }
    if (horizon > 0) {
        const bool bare = model_.table && model_.table->columns.empty() && !model_.lags.empty();
        if (!bare) {
            throw ConfigError(
                "horizon: the model has features besides past labels, whose values to come are not known; "
                "give rows "
                "with these values and an empty label");
        }
        settings_.wrap_rows = [horizon](std::unique_ptr<RowReader> rows) {
            return std::make_unique<HorizonReader>(std::move(rows), horizon);
        };
    }
    if (horizon > 0 && settings_.data.empty()) {
        auto none = std::make_unique<FedReader>("horizon", FedReader::Shape{.label = model_.label});
        reader_ = wrap_reader(settings_, 1, std::move(none));
    } else {
        reader_ = open_reader(settings_, 1, stop);
    }
    reader_ = std::make_unique<CheckedReader>(std::move(reader_), model_.standardiser.has_value(), false);
    if (reader_->features() != model_.feature_count) {
        throw ConfigError("the model has " + std::to_string(model_.feature_count) +
                          " features, the rows have " + std::to_string(reader_->features()));
    }
    family_ = parse_loss(settings_.loss, RowShape{.features = reader_->features(),
                                                  .intercept = model_.intercept,
                                                  .classes = settings_.classes.size()});
    if (model_.x.size() != family_->dimension())
        throw ConfigError("the model has " + std::to_string(model_.x.size()) + " weights, its loss needs " +
                          std::to_string(family_->dimension()));
    if (model_.standardiser) scale_.emplace(*reader_, *model_.standardiser);
    if (model_.label_scale) label_scale_.emplace(*model_.label_scale).settle();
    row_ = RowBlock(reader_->sparse());
}

bool Predictor::next(PredictedRow& row) {
    row_.clear();
    if (!reader_->read_row(row_)) return false;
    row.key = reader_->key();
    row.line = reader_->line();
    row.label = row_.target(0);
    // While learning, the statistics counted a row's features before they scaled it.
    if (scale_) scale_->apply(row_, model_.running ? FeatureScale::Use::as_next : FeatureScale::Use::as_is);
    if (model_.single) row_.round_to_single();
    const Real found = family_->predict(row_, 0, model_.x, scratch_);
    row.prediction = label_scale_ ? label_scale_->restored(found) : found;
    if (family_->target_kind() == TargetKind::number && model_.lags.empty())
        row.prediction = model_.labels.clipped(row.prediction);
    row.probabilities.clear();
    if (family_->has_probabilities()) {
        row.probabilities.resize(std::max<Index>(family_->classes(), 2));
        family_->probabilities(row_, 0, model_.x, row.probabilities, scratch_);
    }
    if (std::isnan(row.label)) reader_->assume_label(row.prediction);
    return true;
}

}  // namespace proxstream
