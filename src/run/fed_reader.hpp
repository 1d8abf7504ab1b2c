/// Rows that the caller supplies, instead of a file.
#pragma once

#include "run/row_reader.hpp"

#include <string>
#include <vector>

namespace proxstream {

class FedReader final : public RowReader {
  public:
    struct Shape {
        std::vector<std::string> names = {};  // of the features; empty: no names
        Index features = 0;                   // the number of names, if there are names
        std::string label = "y";
        bool sparse = false;
    };

    FedReader(std::string source, Shape shape)
        : source_(std::move(source)), shape_(std::move(shape)), waiting_(shape_.sparse) {}

    /// The rows must have this reader's shape.
    void feed(const RowBlock& rows);
    const Shape& shape() const noexcept { return shape_; }

    bool read_row(RowBlock& block) override;
    Index features() const override { return shape_.features; }
    bool sparse() const override { return shape_.sparse; }
    const std::vector<std::string>& feature_names() const override { return shape_.names; }
    std::string label_name() const override { return shape_.label; }
    const std::string& source() const override { return source_; }
    std::uint64_t line() const override { return rows_; }
    bool live() const override { return true; }
    /// Rows that wait are not part of the state. Reading a state drops them.
    void serialise(StateArchive& archive) override;

  private:
    std::string source_;
    Shape shape_;
    RowBlock waiting_;
    Index next_ = 0;
    std::uint64_t rows_ = 0;  // handed out
};

}  // namespace proxstream
