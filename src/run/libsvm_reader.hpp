/// Sparse rows in LIBSVM's text form: `label index:value index:value ...  # comment`.
#pragma once

#include "run/row_reader.hpp"

namespace proxstream {

/// Indices count from 1 (from 0 if asked) and ascend. `qid:n` after the label is a ranking group, and is
/// skipped.
class LibsvmReader final : public RowReader {
  public:
    /// Without a dimension, the inputs are read once to find the largest index. Throws ConfigError if there
    /// is no dimension and an input can be read only once (standard input, a pipe).
    LibsvmReader(InputQueue inputs, LibsvmOptions options, TargetRule target);

    bool read_row(RowBlock& block) override;
    Index features() const override { return dimension_; }
    bool sparse() const override { return true; }
    const std::vector<std::string>& feature_names() const override { return no_names_; }
    Real negative_label() const override { return target_parser_.negative_label(); }
    const std::string& source() const override { return inputs_.name(); }
    std::uint64_t line() const override { return inputs_.line(); }

  private:
    bool next_record(std::string_view& record);
    const char* parse_label(const char* p, const char* last);
    const char* parse_feature(const char* p, const char* last);
    Index find_dimension(std::size_t max_line) const;
    [[noreturn]] void refuse(const std::string& problem, const std::string& expected) const;

    InputQueue inputs_;
    bool zero_based_;
    TargetParser target_parser_;
    Index dimension_;
    bool found_;  // the dimension is that of the data, not given
    std::vector<std::string> no_names_;

    // Of the current row, which enters the block only if all of it is good.
    std::vector<FeatureIndex> indices_;
    std::vector<Real> values_;
    Real target_ = 0;
    std::uint64_t field_ = 0;  // number of the field being read; the label is 1
};

}  // namespace proxstream
