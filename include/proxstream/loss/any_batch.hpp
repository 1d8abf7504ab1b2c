/// Any RecordBatch behind one type, so that code that is chosen at run time can hold it. One virtual call for
/// each pass over the window, none for each record.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/loss/parts.hpp"
#include "proxstream/loss/record_ref.hpp"

#include <concepts>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>

namespace proxstream {

/// Holds any RecordBatch behind one type (type erasure). Its records are RecordRefs, which carry their own
/// type: push() throws ConfigError if a record is of another type than the batch expects.
///
/// \code
/// AnyBatch window(RecordRing<FunctionFamily>(FunctionFamily(2), 8));
/// const FunctionFamily::Record loss = [](ConstView x, View g) { g[0] = 1; g[1] = 0; return x[0]; };
/// window.push(loss);
/// \endcode
class AnyBatch {
  public:
    /// Records of any type.
    using Record = RecordRef;

    // The first test prevents a cycle: RecordBatch<AnyBatch> checks this constructor.
    /// Takes over a batch.
    template <class B>
    requires(!std::same_as<std::remove_cvref_t<B>, AnyBatch> && RecordBatch<B>) explicit AnyBatch(B batch)
        : self_(std::make_unique<Model<B>>(std::move(batch))) {}

    /// Adds the newest record. Throws ConfigError if the record is not of the batch's type.
    void push(const RecordRef& record) { self_->push(record); }
    /// Removes the newest record.
    void drop_newest() { self_->drop_newest(); }
    /// Number of records held.
    Index size() const { return self_->size(); }
    /// Largest number of records held.
    Index capacity() const { return self_->capacity(); }
    /// See RecordBatch.
    Real value(Index age, ConstView x, Scratch& scratch) const { return self_->value(age, x, scratch); }
    /// See RecordBatch.
    Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const {
        return self_->value_and_gradient(age, x, gradient, scratch);
    }
    /// See RecordBatch.
    Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const {
        return self_->weighted_value(weights, x, scratch);
    }
    /// See RecordBatch.
    Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                     Scratch& scratch) const {
        return self_->weighted_value_and_gradient(weights, x, gradient, scratch);
    }
    /// See proxstream::improve.
    Index improve(std::span<const Real> weights, View x, Scratch& scratch) const {
        return self_->improve(weights, x, scratch);
    }
    /// See proxstream::reduce.
    bool reduce(std::span<const Real> weights, std::span<const Index> coordinates, ConstView x,
                ReducedRows& rows, Scratch& scratch) const {
        return self_->reduce(weights, coordinates, x, rows, scratch);
    }
    /// See part_count.
    Index parts(Index age) const { return self_->parts(age); }
    /// See proxstream::parts_gradient.
    Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                        Scratch& scratch) const {
        return self_->parts_gradient(parts, x, gradient, scratch);
    }
    /// An empty record of the batch's type, to restore a saved one into.
    OwnedRecord blank_record() const { return self_->blank_record(); }
    /// Saves or restores the records. Throws Error if the batch cannot be saved.
    void serialise(StateArchive& archive) { self_->serialise(archive); }

  private:
    struct Base {
        virtual ~Base() = default;
        virtual void push(const RecordRef& record) = 0;
        virtual void drop_newest() = 0;
        virtual Index size() const = 0;
        virtual Index capacity() const = 0;
        virtual Real value(Index age, ConstView x, Scratch& scratch) const = 0;
        virtual Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const = 0;
        virtual Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const = 0;
        virtual Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                                 Scratch& scratch) const = 0;
        virtual Index improve(std::span<const Real> weights, View x, Scratch& scratch) const = 0;
        virtual bool reduce(std::span<const Real> weights, std::span<const Index> coordinates, ConstView x,
                            ReducedRows& rows, Scratch& scratch) const = 0;
        virtual Index parts(Index age) const = 0;
        virtual Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                                    Scratch& scratch) const = 0;
        virtual OwnedRecord blank_record() const = 0;
        virtual void serialise(StateArchive& archive) = 0;
    };
    template <class B>
    struct Model final : Base {
        explicit Model(B held) : batch(std::move(held)) {}
        void push(const RecordRef& record) override { batch.push(record.as<typename B::Record>()); }
        void drop_newest() override { batch.drop_newest(); }
        Index size() const override { return batch.size(); }
        Index capacity() const override { return batch.capacity(); }
        Real value(Index age, ConstView x, Scratch& scratch) const override {
            return batch.value(age, x, scratch);
        }
        Real value_and_gradient(Index age, ConstView x, View gradient, Scratch& scratch) const override {
            return batch.value_and_gradient(age, x, gradient, scratch);
        }
        Real weighted_value(std::span<const Real> weights, ConstView x, Scratch& scratch) const override {
            return batch.weighted_value(weights, x, scratch);
        }
        Real weighted_value_and_gradient(std::span<const Real> weights, ConstView x, View gradient,
                                         Scratch& scratch) const override {
            return batch.weighted_value_and_gradient(weights, x, gradient, scratch);
        }
        Index improve(std::span<const Real> weights, View x, Scratch& scratch) const override {
            return proxstream::improve(batch, weights, x, scratch);
        }
        bool reduce(std::span<const Real> weights, std::span<const Index> coordinates, ConstView x,
                    ReducedRows& rows, Scratch& scratch) const override {
            return proxstream::reduce(batch, weights, coordinates, x, rows, scratch);
        }
        Index parts(Index age) const override { return part_count(batch, age); }
        Real parts_gradient(std::span<const WeightedPart> parts, ConstView x, View gradient,
                            Scratch& scratch) const override {
            return proxstream::parts_gradient(batch, parts, x, gradient, scratch);
        }
        OwnedRecord blank_record() const override { return proxstream::blank_record(batch); }
        void serialise(StateArchive& archive) override { archive.section("batch", batch); }
        B batch;
    };
    std::unique_ptr<Base> self_;
};

}  // namespace proxstream
