#include "run/table_encoder.hpp"

#include "proxstream/core/linalg.hpp"

#include "io/parse_number.hpp"
#include "run/timestamp.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace proxstream {
namespace {

constexpr std::array<std::string_view, 8> kMissing{"NA", "N/A", "NaN", "nan", "null", "NULL", "None", "?"};

/// FNV-1a gives the same value on every machine, so that a model is portable.
std::uint64_t hash(std::string_view name, std::string_view value) {
    std::uint64_t state = 14695981039346656037U;
    const auto add = [&](unsigned char byte) { state = (state ^ byte) * 1099511628211U; };
    for (const char c : name) add(static_cast<unsigned char>(c));
    add('=');
    for (const char c : value) add(static_cast<unsigned char>(c));
    return state ^ (state >> 32U);
}

}  // namespace

bool is_missing(std::string_view field) {
    field = without_blanks(field);
    return field.empty() || std::find(kMissing.begin(), kMissing.end(), field) != kMissing.end();
}

TableEncoder::TableEncoder(TableState state, bool learns) : state_(std::move(state)), learns_(learns) {
    for (const TableColumn& column : state_.columns) add_column(column);
    row_.assign(features_, 0);
    sums_.assign(features_, 0);
    if (!sparse()) return;
    const Index hashed = Index{1} << state_.hash_bits;
    for (Index i = 0; i < hashed; ++i) names_.push_back("#" + std::to_string(i));
    features_ += hashed;
}

void TableEncoder::add_column(const TableColumn& stated) {
    Column column{.first = features_};
    const auto add = [&](std::string name, bool quantity) {
        names_.push_back(std::move(name));
        quantities_.push_back(quantity);
        ++features_;
    };
    if (stated.kind == ColumnKind::number) {
        add(stated.name, true);
        if (stated.marks_missing) add(stated.name + "=missing", false);
    } else if (stated.kind == ColumnKind::time) {
        for (const std::string_view part : kTimeFeatureNames)
            add(stated.name + "." + std::string(part), false);
    } else if (!sparse()) {
        for (Index slot = 0; slot + 1 < stated.slots; ++slot) {
            add(stated.name + "#" + std::to_string(slot + 1), false);
            if (slot < stated.values.size()) column.slots.emplace(stated.values[slot], slot);
        }
        add(stated.name + "#other", false);
    }
    if (stated.kind != ColumnKind::number) changing_.push_back(columns_.size());
    columns_.push_back(std::move(column));
}

TableState TableEncoder::state() const {
    TableState state = state_;
    for (Index i = 0; i < columns_.size(); ++i) {
        TableColumn& column = state.columns[i];
        if (column.kind != ColumnKind::number) continue;
        column.mean = mean(i);
        column.count += rows_ - columns_[i].absences;
    }
    return state;
}

Real TableEncoder::mean(Index column) const {
    const TableColumn& before = state_.columns[column];
    const std::uint64_t seen = rows_ - columns_[column].absences;
    if (seen + before.count == 0) return 0;
    if (seen == 0) return before.mean;
    const Real mean = (before.mean * static_cast<Real>(before.count) + sums_[columns_[column].first]) /
                      static_cast<Real>(seen + before.count);
    return std::isfinite(mean) ? mean : 0;
}

void TableEncoder::begin() {
    hashed_.clear();
    if (!any_absent_) return;
    for (Index i = 0; i < columns_.size(); ++i) {
        if (!columns_[i].absent) continue;
        columns_[i].absent = false;
        if (state_.columns[i].marks_missing) row_[columns_[i].first + 1] = 0;
    }
    any_absent_ = false;
}

bool TableEncoder::put(Index column, std::string_view text) {
    switch (kind(column)) {
        case ColumnKind::number:
            return parse_whole_number(text, row_[columns_[column].first]);
        case ColumnKind::time:
            return put_time(column, text);
        default:
            put_text(column, text);
            return true;
    }
}

void TableEncoder::put_missing(Index column) {
    Column& own = columns_[column];
    own.absent = any_absent_ = true;
    if (kind(column) == ColumnKind::time) return fill(row().subspan(own.first, kTimeFeatures), 0);
    row_[own.first] = mean(column);
    if (state_.columns[column].marks_missing) row_[own.first + 1] = 1;
}

void TableEncoder::put_text(Index column, std::string_view text) {
    // A missing value is a category of its own, because it may carry information.
    text = is_missing(text) ? std::string_view() : without_blanks(text);
    if (sparse()) {
        const std::uint64_t slot =
            hash(state_.columns[column].name, text) & ((std::uint64_t{1} << state_.hash_bits) - 1);
        hashed_.push_back(static_cast<FeatureIndex>(row_.size() + slot));
        return;
    }
    Column& own = columns_[column];
    const TableColumn& stated = state_.columns[column];
    row_[own.first + own.hot] = 0;
    own.added = text;
    const auto found = own.slots.find(own.added);
    own.adds = found == own.slots.end();
    // A new value uses the next free feature, even if it is not stored: no weight has moved there yet.
    own.hot = own.adds ? std::min(stated.values.size(), stated.slots - 1) : found->second;
    row_[own.first + own.hot] = 1;
}

bool TableEncoder::put_time(Index column, std::string_view text) {
    const std::optional<Real> time = parse_timestamp(text);
    if (!time) return false;
    Column& own = columns_[column];
    const TableColumn& stated = state_.columns[column];
    own.time = *time;
    time_features(*time, stated.started ? stated.origin : *time, row().subspan(own.first, kTimeFeatures));
    return true;
}

void TableEncoder::accept() {
    if (!learns_) return;
    ++rows_;
    if (any_absent_) {
        for (Column& own : columns_) {
            if (!own.absent) continue;
            ++own.absences;
            row_[own.first] = 0;  // not counted in the mean below
        }
    }
    for (Index i = 0; i < row_.size(); ++i) sums_[i] += row_[i];
    for (const Index i : changing_) {
        Column& own = columns_[i];
        TableColumn& stated = state_.columns[i];
        if (own.adds) {
            own.adds = false;
            if (stated.values.size() + 1 < stated.slots) {
                stated.values.push_back(own.added);
                own.slots.emplace(own.added, stated.values.size() - 1);
            } else {
                ++others_;
            }
        } else if (stated.kind == ColumnKind::time && !stated.started && !own.absent) {
            stated.started = true;
            stated.origin = own.time;
        }
    }
}

void TableEncoder::add_to(RowBlock& block, Real target) {
    for (Index i = 0; any_absent_ && i < columns_.size(); ++i) {
        if (!columns_[i].absent) continue;
        ++(kind(i) == ColumnKind::time ? missing_times_ : missing_);
    }
    if (!sparse()) return block.add_dense(row_, target);
    indices_.clear();
    values_.clear();
    const auto add = [&](FeatureIndex feature, Real value) {
        if (!indices_.empty() && indices_.back() == feature) {
            values_.back() += value;
        } else {
            indices_.push_back(feature);
            values_.push_back(value);
        }
    };
    for (Index i = 0; i < row_.size(); ++i) add(static_cast<FeatureIndex>(i), row_[i]);
    std::sort(hashed_.begin(), hashed_.end());
    for (const FeatureIndex feature : hashed_) add(feature, 1);
    block.add_sparse(indices_, values_, target);
}

}  // namespace proxstream
