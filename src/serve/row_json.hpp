/// Records of rows as JSON: one row {"x": [..] or {name: value, ..}, "y": label}, or several {"rows": [..]}.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include "run/fed_reader.hpp"
#include "run/target_rule.hpp"

#include <string>
#include <string_view>

namespace proxstream {

class RowJson {
  public:
    /// `zero_based`: sparse features are numbered from 0; `rows`: the number of rows in a record.
    RowJson(FedReader::Shape shape, TargetRule target, bool zero_based, Index rows)
        : shape_(std::move(shape)), target_(std::move(target)), zero_based_(zero_based), rows_(rows) {}

    /// Throws DataError naming the field, its value and what is allowed; `rows` are then unchanged. Every row
    /// needs a label, unless the loss has none.
    void read(std::string_view json, RowBlock& rows);
    /// The same for rows to be predicted, any number of them; labels are ignored.
    void read_features(std::string_view json, RowBlock& rows) const;
    /// A JSON schema of a record.
    std::string schema() const;
    void serialise(StateArchive& archive) { target_.serialise(archive); }

  private:
    /// Without a `target`, labels are ignored.
    RowBlock read_rows(std::string_view json, TargetParser* target) const;

    FedReader::Shape shape_;
    TargetParser target_;
    bool zero_based_;
    Index rows_;
};

}  // namespace proxstream
