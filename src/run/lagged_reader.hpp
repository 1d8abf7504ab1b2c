/// Past values as features, for forecasting: behind the features of a row stand the values that its label, or
/// other columns, had so many rows ago. Rows that come before the longest lag is known fill the memory and
/// are not handed out.
///
/// A lag counts rows of the stream, also over the ends of files. A row that cannot be used takes its place in
/// time: its past are the last known values before it. The same holds for a label that is not known.
#pragma once

#include "run/wrapped_reader.hpp"

namespace proxstream {

struct LagOptions {
    std::vector<Index> lags;                  // rows back, 1 or more each
    std::vector<std::string> columns = {};    // whose past is added; empty: the label's
    std::vector<std::string> past_only = {};  // those of them whose present value is not a feature
    std::vector<Real> past = {};              // as RowReader::past() says it; empty: the first rows fill it
};

class LaggedReader final : public WrappedReader {
  public:
    /// Throws ConfigError when a column is not one of the reader's, or the options have no lag.
    LaggedReader(std::unique_ptr<RowReader> reader, const LagOptions& options);

    /// Throws DamagedFile when the stream ends before a single row could be handed out.
    bool read_row(RowBlock& block) override;
    Index features() const override { return kept_.size() + sources_.size() * lags_.size(); }
    const std::vector<std::string>& feature_names() const override { return names_; }
    bool is_quantity(Index feature) const override {
        return feature >= kept_.size() || inner().is_quantity(kept_[feature]);
    }
    std::optional<Index> last_label() const override;
    std::vector<Real> past() const override;
    /// Replaces a label of the last row that was not known, for the rows after it.
    void assume_label(Real label) override;
    std::vector<std::string> notes() const override;
    void serialise(StateArchive& archive) override;

  private:
    void add_row(RowBlock& block);
    void remember();
    void repeat_newest();

    std::vector<Index> lags_;
    Index longest_ = 0;
    std::vector<Index> kept_;     // features of the row itself that stay
    std::vector<Index> sources_;  // features whose past is kept, or kLabel
    std::vector<std::string> names_;
    std::string remembered_;  // the names of sources_, for people

    RowBlock raw_;            // the row at hand, as the reader gave it
    std::vector<Real> past_;  // ring of `longest_` rows of sources_.size() values
    Index next_ = 0;          // the slot that the row at hand will take: that of the oldest
    Index known_ = 0;         // slots that are filled
    bool handed_out_ = false;
    std::vector<Real> row_;
    std::vector<FeatureIndex> indices_;
};

}  // namespace proxstream
