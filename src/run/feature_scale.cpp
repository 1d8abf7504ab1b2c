#include "run/feature_scale.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace proxstream {
namespace {

Index quantities(const RowReader& reader) {
    Index count = 0;
    for (Index i = 0; i < reader.features(); ++i) count += reader.is_quantity(i) ? 1 : 0;
    return count;
}

}  // namespace

FeatureScale::FeatureScale(const RowReader& reader)
    : FeatureScale(reader, Standardiser(quantities(reader))) {}

FeatureScale::FeatureScale(const RowReader& reader, Standardiser statistics)
    : statistics_(std::move(statistics)) {
    // Rows of sparse tables store quantities even if they are 0, so scaling adds no entries.
    if (reader.sparse() && !reader.table())
        throw ConfigError("standardise: sparse rows would lose their zeros; leave it out");
    std::int32_t next = 0;
    for (Index i = 0; i < reader.features(); ++i) columns_.push_back(reader.is_quantity(i) ? next++ : -1);
    const auto count = static_cast<Index>(next);
    if (statistics_.features() != count) {
        throw ConfigError("standardise: the statistics are of " + std::to_string(statistics_.features()) +
                          " features, the rows have " + std::to_string(count) + " to be scaled");
    }
    all_ = !reader.sparse() && count == reader.features();
    gathered_.resize(count);
    places_.resize(count);
    for (Index i = 0; i < columns_.size() && !reader.sparse(); ++i) {
        if (columns_[i] >= 0) places_[static_cast<Index>(columns_[i])] = i;
    }
}

ConstView FeatureScale::gather(const RowBlock& rows, Index row) {
    const ConstView values = rows.values(row);
    if (all_) return values;
    if (rows.sparse()) {
        // Quantities are stored even if they are 0.
        const auto indices = rows.indices(row);
        for (Index i = 0; i < indices.size(); ++i) {
            if (columns_[indices[i]] >= 0) places_[static_cast<Index>(columns_[indices[i]])] = i;
        }
    }
    for (Index i = 0; i < places_.size(); ++i) gathered_[i] = values[places_[i]];
    return gathered_;
}

void FeatureScale::check(const RowBlock& rows, Index row, const RowReader& reader) {
    const auto place = Standardiser::too_large(gather(rows, row));
    if (!place) return;
    const auto column = std::find(columns_.begin(), columns_.end(), static_cast<std::int32_t>(*place));
    const auto feature = static_cast<Index>(column - columns_.begin());
    const std::vector<std::string>& names = reader.feature_names();
    Standardiser::refuse(
        {reader.source(), reader.line(), 0,
         feature < names.size() ? names[feature] : "feature " + std::to_string(feature + 1)});
}

void FeatureScale::count(const RowBlock& rows, Index row) {
    statistics_.update(gather(rows, row));
}

void FeatureScale::apply(RowBlock& rows, Use use) {
    for (Index row = 0; row < rows.rows(); ++row) {
        const ConstView quantities = gather(rows, row);
        const View values = rows.change_values(row);
        const View scaled = all_ ? values : View(gathered_);
        if (use == Use::count) statistics_.update(quantities);
        if (use == Use::as_next) {
            statistics_.transform_next(quantities, scaled);
        } else {
            statistics_.transform(quantities, scaled);
        }
        for (Index i = 0; !all_ && i < places_.size(); ++i) values[places_[i]] = gathered_[i];
    }
}

}  // namespace proxstream
