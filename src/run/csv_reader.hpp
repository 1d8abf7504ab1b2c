/// Comma-separated rows: columns addressed by the names in the header, quoted fields.
#pragma once

#include "io/row_splitter.hpp"
#include "run/table_reader.hpp"

#include <deque>

namespace proxstream {

class CsvReader final : public TableReader {
  public:
    /// Reads the first header, and the rows that decide what the columns hold. Throws one ConfigError with
    /// all columns that the options name and the header lacks.
    CsvReader(InputQueue inputs, TableOptions options, TargetRule target);

    bool read_row(RowBlock& block) override;
    const std::string& source() const override { return inputs_.name(); }
    std::uint64_t line() const override { return line_; }

  private:
    /// A row that was read before the columns were known.
    struct RowAhead {
        std::vector<std::string> fields;
        std::uint64_t line = 0;
        std::exception_ptr error = nullptr;  // instead of fields
    };

    bool next_record(std::string_view& record);
    std::vector<std::string> header_names(std::string_view record);
    void read_header();
    void look_ahead(Index columns);
    void check_header(const std::vector<std::string>& columns) const;
    bool read_ahead(RowBlock& block);
    bool parse_plain(std::string_view record);
    void check_count(Index fields, Index columns) const;
    DataLocation locate(Index column) const override;

    InputQueue inputs_;
    char delimiter_ = ',';
    RowSplitter splitter_;
    std::string first_input_;  // its header must be that of all inputs
    std::deque<RowAhead> ahead_;
    std::uint64_t line_ = 0;  // of the last row
    Fields fields_;
};

}  // namespace proxstream
