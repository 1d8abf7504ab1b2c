/// Rows of a table in any format: turns the fields of a row into features by the roles of their columns.
#pragma once

#include "run/row_reader.hpp"
#include "run/table_encoder.hpp"

#include <exception>
#include <limits>
#include <vector>

namespace proxstream {

class TableReader : public RowReader {
  public:
    Index features() const override { return encoder_.features(); }
    bool sparse() const override { return encoder_.sparse(); }
    const std::vector<std::string>& feature_names() const override { return encoder_.names(); }
    std::string label_name() const override { return label_name_; }
    std::optional<TableState> table() const override { return encoder_.state(); }
    bool is_quantity(Index feature) const override { return encoder_.is_quantity(feature); }
    Real negative_label() const override { return target_parser_.negative_label(); }
    const std::string& key() const override { return key_; }
    std::vector<std::string> notes() const override { return notes_; }
    std::vector<std::string> remarks() const override;

    /// Every column of the input, used or not.
    const std::vector<std::string>& columns() const noexcept { return columns_; }

  protected:
    using Fields = std::vector<std::string_view>;

    TableReader(TableOptions options, TargetRule target);

    /// Called once, with the columns and the first rows of the input. Throws ConfigError with all violations.
    void set_columns(const std::vector<std::string>& columns, const std::vector<Fields>& first_rows);
    /// Takes one field for each column. Throws DataError at the first one that cannot be used.
    void take_fields(const Fields& fields);
    /// Returns false if take_fields() must handle the row instead.
    bool take_field(Index column, std::string_view text);
    /// Appends the row to the block.
    void finish_row(RowBlock& block);

    virtual DataLocation locate(Index column) const = 0;

    TableOptions options_;
    TargetParser target_parser_;
    TableEncoder encoder_;
    std::vector<std::string> columns_;
    std::vector<std::int32_t> roles_;   // by column: a role of the encoder or of run/table_columns.hpp
    std::vector<std::int32_t> places_;  // by column: the place of its number in the encoder's row, or -1
    std::string label_name_;
    std::vector<std::string> notes_;
    Real target_ = 0;
    Real no_label_ = std::numeric_limits<Real>::quiet_NaN();  // 0 for losses without one
    bool number_label_ = false;  // the label is a number that needs no translation

  private:
    /// Decides from the first rows what the feature columns hold, and which ones are left out.
    void survey_features(const std::vector<std::string>& names, const std::vector<Fields>& first_rows);
    Real class_weight() const;
    [[noreturn]] void refuse_label(Index column, std::string_view text) const;
    [[noreturn]] void refuse_no_features() const;
    std::string expected_number(Index column, std::string_view text) const;
    [[noreturn]] void refuse_field(Index column, std::string_view text) const;

    Real weight_ = 1;
    std::string key_;
};

}  // namespace proxstream
