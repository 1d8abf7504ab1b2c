#include "proxstream/loss/record_ref.hpp"

#include "proxstream/core/error.hpp"

#include <cstdlib>
#include <memory>

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
        *this = OwnedRecord();
    } else if (type_ == record.type_ && unshared() && type_->assign != nullptr) {
        type_->assign(record_.get(), record.record_);
    } else {
        if (record.type_->copy == nullptr)
            throw ConfigError("records of type " + record.type_->name() +
                              " have to be kept, so they must be copyable");
        record_ = record.type_->copy(record.record_);
        type_ = record.type_;
    }
    return *this;
}

void OwnedRecord::serialise(StateArchive& archive) {
    if (type_ == nullptr || type_->serialise == nullptr) {
        throw Error("records of type " + (type_ == nullptr ? std::string("unknown") : type_->name()) +
                    " cannot be saved: the type has no serialise(StateArchive&)");
    }
    if (archive.reading() && !unshared()) record_ = type_->copy(record_.get());
    type_->serialise(record_.get(), archive);
}

}  // namespace proxstream
