/// JSON lines: one object a line, whose keys are columns.
#pragma once

#include "run/table_reader.hpp"

#include <deque>
#include <unordered_map>

namespace proxstream {

class JsonReader final : public TableReader {
  public:
    /// The keys of the first rows are the columns; keys that come later are ignored and noted.
    JsonReader(InputQueue inputs, TableOptions options, TargetRule target);

    bool read_row(RowBlock& block) override;
    const std::string& source() const override { return inputs_.name(); }
    std::uint64_t line() const override { return line_; }
    std::vector<std::string> notes() const override;

  private:
    struct Field {
        std::string key;
        std::string text;  // of a number or a string; empty: null
    };
    struct RowAhead {
        std::vector<Field> fields;
        std::uint64_t line = 0;
        std::exception_ptr error = nullptr;  // instead of fields
    };

    bool next_line(std::string_view& line);
    std::vector<Field> parse(std::string_view line) const;
    void look_ahead();
    void require_key() const;
    void spread(const std::vector<Field>& fields);
    DataLocation locate(Index column) const override;

    InputQueue inputs_;
    std::unordered_map<std::string, Index> places_of_;  // of keys
    std::deque<RowAhead> ahead_;
    Fields fields_;  // of the last row, in the order of the columns
    std::uint64_t line_ = 0;
    std::uint64_t unknown_ = 0;  // values whose key is not a column
    std::string unknown_key_;    // the first of their keys
};

}  // namespace proxstream
