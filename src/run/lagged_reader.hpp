/// Past values as features, for forecasting. After its own features, a row gets the values that its label, or
/// other columns, had some rows ago. The first rows only fill the memory up to the longest lag, and are not
/// returned.
///
/// A lag counts rows of the stream, across files. A row that cannot be used still counts: the last known
/// values stand in for its own. The same holds for an unknown label.
#pragma once

#include "run/wrapped_reader.hpp"

namespace proxstream {

struct LagOptions {
    std::vector<Index> lags;                  // rows back, 1 or more each
    std::vector<std::string> columns = {};    // columns whose past is added; empty: the label
    std::vector<std::string> past_only = {};  // columns whose present value is not a feature
    std::vector<Real> past = {};              // as from RowReader::past(); empty: the first rows fill it
};

class LaggedReader final : public WrappedReader {
  public:
    /// Throws ConfigError if a column is unknown, or the options have no lag.
    LaggedReader(std::unique_ptr<RowReader> reader, const LagOptions& options);

    /// Throws DamagedFile if the stream ends before the first row is complete.
    bool read_row(RowBlock& block) override;
    Index features() const override { return kept_.size() + sources_.size() * lags_.size(); }
    const std::vector<std::string>& feature_names() const override { return names_; }
    bool is_quantity(Index feature) const override {
        return feature >= kept_.size() || inner().is_quantity(kept_[feature]);
    }
    std::optional<Index> last_label() const override;
    std::vector<Real> past() const override;
    /// Sets the unknown label of the last row, for the lags of later rows.
    void assume_label(Real label) override;
    std::vector<std::string> notes() const override;
    void serialise(StateArchive& archive) override;

  private:
    void add_row(RowBlock& block);
    void remember();
    void repeat_newest();

    std::vector<Index> lags_;
    Index longest_ = 0;
    std::vector<Index> kept_;     // features of the row itself that are kept
    std::vector<Index> sources_;  // features whose past is kept, or kLabel
    std::vector<std::string> names_;
    std::string remembered_;  // the names of sources_, for messages

    RowBlock raw_;            // the current row, as read
    std::vector<Real> past_;  // ring of `longest_` rows of sources_.size() values
    Index next_ = 0;          // the slot of the current row: that of the oldest
    Index known_ = 0;         // slots that are filled
    bool handed_out_ = false;
    std::vector<Real> row_;
    std::vector<FeatureIndex> indices_;
};

}  // namespace proxstream
