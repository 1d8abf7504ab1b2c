/// Base of readers that wrap another reader: calls are passed on unless overridden.
#pragma once

#include "run/row_reader.hpp"

#include <utility>

namespace proxstream {

class WrappedReader : public RowReader {
  public:
    Index features() const override { return inner_->features(); }
    bool sparse() const override { return inner_->sparse(); }
    const std::vector<std::string>& feature_names() const override { return inner_->feature_names(); }
    std::string label_name() const override { return inner_->label_name(); }
    std::optional<TableState> table() const override { return inner_->table(); }
    bool is_quantity(Index feature) const override { return inner_->is_quantity(feature); }
    std::vector<Real> past() const override { return inner_->past(); }
    void assume_label(Real label) override { inner_->assume_label(label); }
    const std::string& key() const override { return inner_->key(); }
    Real negative_label() const override { return inner_->negative_label(); }
    std::optional<Index> last_label() const override { return inner_->last_label(); }
    const std::string& source() const override { return inner_->source(); }
    std::uint64_t line() const override { return inner_->line(); }
    std::vector<std::string> notes() const override { return inner_->notes(); }
    std::vector<std::string> remarks() const override { return inner_->remarks(); }
    bool live() const override { return inner_->live(); }
    void serialise(StateArchive& archive) override { inner_->serialise(archive); }

  protected:
    explicit WrappedReader(std::unique_ptr<RowReader> inner) : inner_(std::move(inner)) {}
    RowReader& inner() { return *inner_; }
    const RowReader& inner() const { return *inner_; }

  private:
    std::unique_ptr<RowReader> inner_;
};

}  // namespace proxstream
