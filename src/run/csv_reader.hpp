/// Comma-separated rows: columns addressed by the names in the header, quoted fields, dense features.
#pragma once

#include "io/row_splitter.hpp"
#include "run/row_reader.hpp"

namespace proxstream {

class CsvReader final : public RowReader {
  public:
    /// Reads the first header. Columns that the options name and the header does not have are refused
    /// together, in one ConfigError.
    CsvReader(InputQueue inputs, CsvOptions options, TargetRule target);

    bool read_row(RowBlock& block) override;
    Index features() const override { return feature_names_.size(); }
    bool sparse() const override { return false; }
    const std::vector<std::string>& feature_names() const override { return feature_names_; }
    std::string label_name() const override { return label_name_; }
    const std::string& source() const override { return inputs_.name(); }
    std::uint64_t line() const override { return inputs_.line(); }

    /// Every column of the input, used or not.
    const std::vector<std::string>& columns() const noexcept { return columns_; }

  private:
    bool next_record(std::string_view& record);
    void read_header();
    void check_header(const std::vector<std::string>& columns) const;
    bool parse_plain(std::string_view record);
    void parse_thoroughly(std::string_view record);
    void parse_field(Index column, std::string_view text);
    [[noreturn]] void refuse_number(Index column, std::string_view text) const;
    DataLocation locate(Index column) const;

    InputQueue inputs_;
    CsvOptions options_;
    TargetParser target_parser_;
    char delimiter_ = ',';
    RowSplitter splitter_;
    std::vector<std::string> columns_;
    std::string first_input_;          // whose header the others must repeat
    std::vector<std::int32_t> roles_;  // per column: a feature's place, or kSkipped, kLabel
    std::vector<std::string> feature_names_;
    std::string label_name_;

    // The row being read; it enters the block when all of it is good.
    std::vector<Real> row_;
    Real target_ = 0;
    bool number_label_ = false;  // any number is a label, and means itself
};

}  // namespace proxstream
