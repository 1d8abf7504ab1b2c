/// Records of any type behind one type, so that learners are compiled once whatever the losses are made of.
#pragma once

#include "proxstream/core/checkpoint.hpp"

#include <concepts>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>

namespace proxstream {

/// What has to be known of a record's type to copy and save records of it.
struct RecordType {
    const std::type_info* info = nullptr;
    void* (*copy)(const void* record) = nullptr;
    void (*assign)(void* to, const void* from) = nullptr;
    void (*destroy)(void* record) = nullptr;
    void (*exchange)(void* record, Checkpoint& state) = nullptr;  // null: it does not say how to be saved

    std::string name() const;
};

template <class R>
constexpr RecordType make_record_type() {
    RecordType type;
    type.info = &typeid(R);
    type.destroy = [](void* record) { delete static_cast<R*>(record); };
    if constexpr (std::copyable<R>) {
        type.copy = [](const void* record) -> void* { return new R(*static_cast<const R*>(record)); };
        type.assign = [](void* to, const void* from) { *static_cast<R*>(to) = *static_cast<const R*>(from); };
    }
    if constexpr (Exchangeable<R>) {
        type.exchange = [](void* record, Checkpoint& state) { static_cast<R*>(record)->exchange(state); };
    }
    return type;
}

template <class R>
inline constexpr RecordType kRecordType = make_record_type<R>();

class RecordRef;
class OwnedRecord;

/// Anything that can be a record: not a pointer, which would be mistaken for what it points to.
template <class R>
concept RecordLike = std::is_object_v<R> && !std::is_pointer_v<R> && !std::same_as<R, std::nullptr_t> &&
                     !std::same_as<R, RecordRef> && !std::same_as<R, OwnedRecord>;

/// A view of a record that lives elsewhere, and its type. Any record converts to it; a store casts it back.
class RecordRef {
  public:
    RecordRef() = default;  // of no record
    template <RecordLike R>
    RecordRef(const R& record) : record_(&record), type_(&kRecordType<R>) {}  // NOLINT: implicit on purpose

    explicit operator bool() const noexcept { return record_ != nullptr; }
    template <class R>
    bool is() const noexcept {
        return type_ == &kRecordType<R> || (type_ != nullptr && *type_->info == typeid(R));
    }
    /// Throws ConfigError, naming both types, if the record is of another one.
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

/// A record that is kept.
class OwnedRecord {
  public:
    OwnedRecord() = default;  // none
    /// A copy. Throws ConfigError if records of that type cannot be copied.
    explicit OwnedRecord(const RecordRef& record) { *this = record; }
    OwnedRecord(const OwnedRecord& other) : OwnedRecord(other.ref()) {}
    OwnedRecord(OwnedRecord&& other) noexcept { swap(other); }
    OwnedRecord& operator=(const OwnedRecord& other) { return *this = other.ref(); }
    OwnedRecord& operator=(OwnedRecord&& other) noexcept {
        swap(other);
        return *this;
    }
    OwnedRecord& operator=(const RecordRef& record);
    ~OwnedRecord() { clear(); }

    /// A record of type R to read into; none if it cannot be made.
    template <class R>
    static OwnedRecord blank() {
        OwnedRecord made;
        if constexpr (std::default_initializable<R> && !std::same_as<R, RecordRef>) {
            made.record_ = new R();
            made.type_ = &kRecordType<R>;
        }
        return made;
    }

    explicit operator bool() const noexcept { return record_ != nullptr; }
    RecordRef ref() const noexcept { return {record_, type_}; }

    /// Throws Error if the record's type does not say how.
    void exchange(Checkpoint& checkpoint);

  private:
    void clear() noexcept;
    void swap(OwnedRecord& other) noexcept {
        std::swap(record_, other.record_);
        std::swap(type_, other.type_);
    }

    void* record_ = nullptr;
    const RecordType* type_ = nullptr;
};

/// A record of a batch's type, to read a saved one into; none if it cannot be made.
template <class B>
OwnedRecord blank_record(const B& batch) {
    if constexpr (requires { batch.blank_record(); }) {
        return batch.blank_record();
    } else {
        return OwnedRecord::blank<typename B::Record>();
    }
}

}  // namespace proxstream
