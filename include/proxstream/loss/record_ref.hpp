/// Records of any type behind one type, so that learners are compiled once for all losses.
#pragma once

#include "proxstream/core/state_archive.hpp"

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace proxstream {

/// The operations on records of one type: copy, assign, save. RecordRef and OwnedRecord use them to
/// handle records without knowing their type at compile time. kRecordType has the one of each type.
///
/// \code
/// const RecordType& type = kRecordType<RowBlock>;
/// std::cout << type.name() << '\n';
/// \endcode
struct RecordType {
    const std::type_info* info = nullptr;  ///< the type
    /// Makes a copy; null: records of this type cannot be copied.
    std::shared_ptr<void> (*copy)(const void* record) = nullptr;
    /// Overwrites a record; null: records of this type cannot be copied.
    void (*assign)(void* to, const void* from) = nullptr;
    /// Saves or restores a record; null: its type has no serialise().
    void (*serialise)(void* record, StateArchive& state) = nullptr;

    /// Name of the type, for messages.
    std::string name() const;
};

/// Collects the operations of type R.
template <class R>
constexpr RecordType make_record_type() {
    RecordType type;
    type.info = &typeid(R);
    if constexpr (std::copyable<R>) {
        type.copy = [](const void* record) -> std::shared_ptr<void> {
            return std::make_shared<R>(*static_cast<const R*>(record));
        };
        type.assign = [](void* to, const void* from) { *static_cast<R*>(to) = *static_cast<const R*>(from); };
    }
    if constexpr (Serialisable<R>) {
        type.serialise = [](void* record, StateArchive& state) { static_cast<R*>(record)->serialise(state); };
    }
    return type;
}

/// The operations of type R.
template <class R>
inline constexpr RecordType kRecordType = make_record_type<R>();

class RecordRef;
class OwnedRecord;

/// A type that can be a record: any object type except pointers, null, RecordRef and OwnedRecord. Pointers
/// are excluded because they would be stored instead of what they point to.
///
/// \code
/// static_assert(RecordLike<RowBlock>);
/// static_assert(!RecordLike<const char*>);
/// \endcode
template <class R>
concept RecordLike = std::is_object_v<R> && !std::is_pointer_v<R> && !std::same_as<R, std::nullptr_t> &&
                     !std::same_as<R, RecordRef> && !std::same_as<R, OwnedRecord>;

/// A reference to a record of any type that lives elsewhere. Every record converts to it implicitly; as()
/// gives the record back and throws ConfigError if the type is another one.
///
/// \code
/// const RowBlock rows;
/// const RecordRef record = rows;
/// const RowBlock& same = record.as<RowBlock>();
/// \endcode
class RecordRef {
  public:
    RecordRef() = default;  ///< refers to no record
    /// Refers to `record`, which must outlive this object.
    template <RecordLike R>
    RecordRef(const R& record) : record_(&record), type_(&kRecordType<R>) {}  // NOLINT: implicit on purpose

    /// Whether there is a record.
    explicit operator bool() const noexcept { return record_ != nullptr; }
    /// Whether the record is of type R.
    template <class R>
    bool is() const noexcept {
        return type_ == &kRecordType<R> || (type_ != nullptr && *type_->info == typeid(R));
    }
    /// The record. Throws ConfigError that names both types if it is of another one.
    template <class R>
    const R& as() const {
        if constexpr (std::same_as<R, RecordRef>) {
            return *this;
        } else {
            if (!is<R>()) refuse(kRecordType<R>);
            return *static_cast<const R*>(record_);
        }
    }

  private:
    friend class OwnedRecord;
    RecordRef(const void* record, const RecordType* type) : record_(record), type_(type) {}
    [[noreturn]] void refuse(const RecordType& expected) const;

    const void* record_ = nullptr;
    const RecordType* type_ = nullptr;
};

/// A copy of a record of any type, which it owns. Use it to keep a record longer than the caller's object
/// lives.
///
/// \code
/// RowBlock rows;
/// const OwnedRecord kept{RecordRef(rows)};
/// const RowBlock& copy = kept.ref().as<RowBlock>();
/// \endcode
class OwnedRecord {
  public:
    OwnedRecord() = default;  ///< owns no record
    /// Copies the record. Throws ConfigError if records of that type cannot be copied.
    explicit OwnedRecord(const RecordRef& record) { *this = record; }
    /// Copies the record. Throws ConfigError if records of that type cannot be copied.
    OwnedRecord& operator=(const RecordRef& record);

    /// A default-constructed record of type R, to restore a saved one into; owns none if R has no default
    /// constructor.
    template <class R>
    static OwnedRecord blank() {
        OwnedRecord made;
        if constexpr (std::default_initializable<R> && !std::same_as<R, RecordRef>) {
            made.record_ = std::make_shared<R>();
            made.type_ = &kRecordType<R>;
        }
        return made;
    }

    /// Whether there is a record.
    explicit operator bool() const noexcept { return record_ != nullptr; }
    /// A reference to the record.
    RecordRef ref() const noexcept { return {record_.get(), type_}; }

    /// Saves or restores the record. Throws Error if its type has no serialise().
    void serialise(StateArchive& archive);

  private:
    /// Whether no copy of this object shares the record, so that it may be overwritten.
    bool unshared() const noexcept { return record_.use_count() == 1; }

    std::shared_ptr<void> record_;  // copies share it until one of them changes
    const RecordType* type_ = nullptr;
};

/// An empty record of the batch's type, to restore a saved one into; owns none if it cannot be made.
template <class B>
OwnedRecord blank_record(const B& batch) {
    if constexpr (requires { batch.blank_record(); }) {
        return batch.blank_record();
    } else {
        return OwnedRecord::blank<typename B::Record>();
    }
}

}  // namespace proxstream
