#include "run/lagged_reader.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace proxstream {
namespace {

constexpr Index kLabel = std::numeric_limits<Index>::max();
constexpr Index kLagsListed = 12;

}  // namespace

LaggedReader::LaggedReader(std::unique_ptr<RowReader> reader, const LagOptions& options)
    : WrappedReader(std::move(reader)), lags_(options.lags), raw_(inner().sparse()) {
    if (lags_.empty()) throw ConfigError("lags: none is given");
    longest_ = *std::max_element(lags_.begin(), lags_.end());
    const std::vector<std::string>& names = inner().feature_names();
    const bool named = !names.empty() || inner().features() == 0;
    for (Index i = 0; i < inner().features(); ++i) {
        const auto& past = options.past_only;
        if (i < names.size() && std::find(past.begin(), past.end(), names[i]) != past.end()) continue;
        kept_.push_back(i);
        if (named) names_.push_back(names[i]);
    }
    const std::vector<std::string> columns =
        options.columns.empty() ? std::vector{inner().label_name()} : options.columns;
    for (const std::string& column : columns) {
        const auto place = std::find(names.begin(), names.end(), column);
        if (column != inner().label_name() && place == names.end())
            throw ConfigError("lag-columns: no column that is read is called '" + column + "'");
        sources_.push_back(column == inner().label_name() ? kLabel
                                                          : static_cast<Index>(place - names.begin()));
        remembered_ += (remembered_.empty() ? "" : ", ") + column;
        for (const Index lag : lags_) {
            if (named) names_.push_back(column + "[-" + std::to_string(lag) + "]");
        }
    }
    past_.resize(longest_ * sources_.size());
    row_.reserve(features());
    if (options.past.empty()) return;
    if (options.past.size() != past_.size())
        throw ConfigError("lags: the past that the model brings does not fit its lags");
    past_ = options.past;
    known_ = longest_;
}

bool LaggedReader::read_row(RowBlock& block) {
    while (true) {
        raw_.clear();
        try {
            if (!inner().read_row(raw_)) break;
        } catch (const DamagedFile&) {
            known_ = 0;  // an unknown number of rows is lost
            throw;
        } catch (const DataError&) {
            repeat_newest();
            throw;
        }
        const bool filled = known_ == longest_;
        if (filled) add_row(block);
        remember();
        if (!filled) continue;
        handed_out_ = true;
        return true;
    }
    if (handed_out_ || live()) return false;
    throw DamagedFile({inner().source(), inner().line(), 0, ""},
                      "the rows end before the longest lag is filled",
                      "more than " + std::to_string(longest_) + " rows, or shorter lags");
}

std::optional<Index> LaggedReader::last_label() const {
    const auto source = std::find(sources_.begin(), sources_.end(), kLabel);
    const auto lag = std::find(lags_.begin(), lags_.end(), Index{1});
    if (source == sources_.end() || lag == lags_.end()) return std::nullopt;
    return kept_.size() + static_cast<Index>(source - sources_.begin()) * lags_.size() +
           static_cast<Index>(lag - lags_.begin());
}

void LaggedReader::add_row(RowBlock& block) {
    const ConstView values = raw_.values(0);
    row_.clear();
    if (sparse()) {
        row_.insert(row_.end(), values.begin(), values.end());
    } else {
        for (const Index i : kept_) row_.push_back(values[i]);
    }
    for (Index source = 0; source < sources_.size(); ++source) {
        for (const Index lag : lags_) {
            const Index slot = next_ >= lag ? next_ - lag : next_ + longest_ - lag;
            row_.push_back(past_[slot * sources_.size() + source]);
        }
    }
    if (!sparse()) {
        block.add_dense(row_, raw_.target(0));
        return block.set_weight(block.rows() - 1, raw_.weight(0));
    }
    indices_.assign(raw_.indices(0).begin(), raw_.indices(0).end());
    while (indices_.size() < row_.size()) {
        indices_.push_back(static_cast<FeatureIndex>(features() - (row_.size() - indices_.size())));
    }
    block.add_sparse(indices_, row_, raw_.target(0));
    block.set_weight(block.rows() - 1, raw_.weight(0));
}

void LaggedReader::remember() {
    const Index width = sources_.size();
    const Index newest = next_ == 0 ? longest_ - 1 : next_ - 1;
    for (Index source = 0; source < width; ++source) {
        Real value = sources_[source] == kLabel ? raw_.target(0) : raw_.values(0)[sources_[source]];
        if (std::isnan(value)) value = known_ > 0 ? past_[newest * width + source] : 0;
        past_[next_ * width + source] = value;
    }
    next_ = next_ + 1 == longest_ ? 0 : next_ + 1;
    known_ = std::min(known_ + 1, longest_);
}

void LaggedReader::repeat_newest() {
    if (known_ == 0) return;  // time starts with the first usable row
    const Index width = sources_.size();
    const Index newest = next_ == 0 ? longest_ - 1 : next_ - 1;
    std::copy_n(past_.begin() + static_cast<std::ptrdiff_t>(newest * width), width,
                past_.begin() + static_cast<std::ptrdiff_t>(next_ * width));
    next_ = next_ + 1 == longest_ ? 0 : next_ + 1;
    known_ = std::min(known_ + 1, longest_);
}

std::vector<Real> LaggedReader::past() const {
    if (known_ < longest_) return {};
    const auto oldest = past_.begin() + static_cast<std::ptrdiff_t>(next_ * sources_.size());
    std::vector<Real> past(oldest, past_.end());
    past.insert(past.end(), past_.begin(), oldest);
    return past;
}

void LaggedReader::assume_label(Real label) {
    if (raw_.rows() == 0 || !std::isnan(raw_.target(0))) return;
    const Index newest = next_ == 0 ? longest_ - 1 : next_ - 1;
    for (Index source = 0; source < sources_.size(); ++source) {
        if (sources_[source] == kLabel) past_[newest * sources_.size() + source] = label;
    }
}

void LaggedReader::serialise(StateArchive& archive) {
    WrappedReader::serialise(archive);
    archive.fixed("past values", past_);
    archive.field("next slot", next_, longest_ - 1);
    archive.field("known slots", known_, longest_);
    archive.field("handed out", handed_out_);
}

std::vector<std::string> LaggedReader::notes() const {
    std::string list;
    for (Index i = 0; i < std::min(lags_.size(), kLagsListed); ++i) {
        list += (i == 0 ? "" : ",") + std::to_string(lags_[i]);
    }
    if (lags_.size() > kLagsListed) list += ",... (" + std::to_string(lags_.size()) + " lags)";
    std::vector<std::string> notes = inner().notes();
    notes.push_back("features are past values of " + remembered_ + ", " + list + " rows ago; the first " +
                    std::to_string(longest_) + " rows only fill them and are not learned from");
    return notes;
}

}  // namespace proxstream
