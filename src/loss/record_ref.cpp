#include "proxstream/loss/record_ref.hpp"

#include "proxstream/core/error.hpp"

#include <cstdlib>
#include <memory>
#include <utility>

#include <cxxabi.h>

namespace proxstream {

std::string RecordType::name() const {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(info->name(), nullptr, nullptr, &status), &std::free);
    return text ? text.get() : info->name();
}

void RecordRef::refuse(const RecordType& expected) const {
    throw ConfigError("the record is " + (type_ == nullptr ? "missing" : "of type " + type_->name()) +
                      "; the losses here take records of type " + expected.name());
}

OwnedRecord& OwnedRecord::operator=(const RecordRef& record) {
    if (!record) {
        clear();
    } else if (type_ == record.type_ && record_ != nullptr) {
        type_->assign(record_, record.record_);
    } else {
        if (record.type_->copy == nullptr)
            throw ConfigError("records of type " + record.type_->name() +
                              " have to be kept, so they must be copyable");
        void* copied = record.type_->copy(record.record_);
        clear();
        record_ = copied;
        type_ = record.type_;
    }
    return *this;
}

void OwnedRecord::serialise(StateArchive& archive) {
    if (type_ == nullptr || type_->serialise == nullptr) {
        throw Error("records of type " + (type_ == nullptr ? std::string("unknown") : type_->name()) +
                    " cannot be saved: the type has no serialise(StateArchive&)");
    }
    type_->serialise(record_, archive);
}

void OwnedRecord::clear() noexcept {
    if (record_ != nullptr) type_->destroy(record_);
    record_ = nullptr;
    type_ = nullptr;
}

}  // namespace proxstream
