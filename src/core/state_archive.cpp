#include "proxstream/core/state_archive.hpp"

#include "core/checksum.hpp"

#include <cstring>
#include <utility>

namespace proxstream {
namespace {

constexpr std::string_view kOpening = "proxstream checkpoint\n";
constexpr std::size_t kFrame = kOpening.size() + 3 * sizeof(std::uint64_t);  // what is not payload

void append_word(std::string& out, std::uint64_t word) {
    out.append(reinterpret_cast<const char*>(&word), sizeof word);
}

std::uint64_t word_at(std::string_view bytes, std::size_t place) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + place, sizeof word);
    return word;
}

std::uint64_t checksum_of(std::string_view bytes) {
    Checksum checksum;
    checksum.add(bytes);
    return checksum.value();
}

}  // namespace

std::string StateArchive::seal() const {
    std::string out(kOpening);
    append_word(out, kVersion);
    append_word(out, bytes_.size());
    out += bytes_;
    append_word(out, checksum_of(out));
    return out;
}

StateArchive::StateArchive(std::string_view all, std::string source)
    : reading_(true), source_(std::move(source)) {
    const DataLocation where{.source = source_, .line = 0, .column = 0, .field = ""};
    const auto size = std::to_string(all.size());
    if (!all.starts_with(kOpening.substr(0, all.size())) || all.empty())
        throw DataError(where, "this is not a saved state", "a state that proxstream saved");
    if (all.size() < kFrame)
        throw DataError(where, "the saved state is cut short after " + size + " bytes", "");
    if (const std::uint64_t version = word_at(all, kOpening.size()); version != kVersion) {
        throw DataError(where, "the saved state has version " + std::to_string(version),
                        "version " + std::to_string(kVersion));
    }
    const std::uint64_t length = word_at(all, kOpening.size() + sizeof(std::uint64_t));
    if (length > all.size() - kFrame)
        throw DataError(where, "the saved state is cut short after " + size + " bytes", "");
    if (length < all.size() - kFrame) throw DataError(where, "there is content after the saved state", "");
    if (word_at(all, all.size() - sizeof length) != checksum_of(all.substr(0, all.size() - sizeof length)))
        throw DataError(where, "the checksum does not fit: the saved state was changed or damaged", "");
    bytes_ = all.substr(kOpening.size() + 2 * sizeof length, length);
}

std::string StateArchive::path(std::string_view name) const {
    std::string text;
    for (const std::string_view part : path_) text += std::string(part) + "/";
    text += name;
    if (name.empty() && !text.empty()) text.pop_back();
    return text;
}

void StateArchive::refuse(std::string_view name, const std::string& problem,
                          const std::string& expected) const {
    throw DataError({.source = source_, .line = 0, .column = 0, .field = path(name)}, problem, expected);
}

void StateArchive::require(bool holds, const char* expected) const {
    if (reading_ && !holds) refuse({}, "the state cannot be", expected);
}

void StateArchive::put(const void* data, std::size_t count) {
    bytes_.append(static_cast<const char*>(data), count);
}

void StateArchive::take(void* data, std::size_t count) {
    if (count > bytes_.size() - place_) refuse({}, "the saved state ends here", "more of it");
    if (count > 0) std::memcpy(data, bytes_.data() + place_, count);
    place_ += count;
}

/// Kind and name of an entry, which have to be those that were written.
void StateArchive::head(Kind kind, std::string_view name) {
    const auto length = static_cast<unsigned char>(name.size());
    if (!reading_) {
        put(&kind, 1);
        put(&length, 1);
        put(name.data(), length);
        return;
    }
    Kind found_kind{};
    unsigned char found_length = 0;
    take(&found_kind, 1);
    take(&found_length, 1);
    std::string found(found_length, ' ');
    take(found.data(), found_length);
    if (found == name && found_kind == kind) return;
    refuse(name, "the saved state has another entry here: it is of another method or for another loss",
           "'" + std::string(name) + "'");
}

void StateArchive::open(std::string_view name) {
    head(Kind::part, name);
    path_.push_back(name);
}

template <class T>
void StateArchive::plain(Kind kind, std::string_view name, T& value) {
    head(kind, name);
    reading_ ? take(&value, sizeof value) : put(&value, sizeof value);
}

template <class List>
void StateArchive::many(Kind kind, std::string_view name, List& values) {
    using Element = typename List::value_type;
    std::uint64_t count = values.size();
    plain(kind, name, count);
    if (!reading_) {
        put(values.data(), count * sizeof(Element));
        return;
    }
    if (count > (bytes_.size() - place_) / sizeof(Element))
        refuse(name, "the list is longer than the rest of the state", "all of it");
    if constexpr (requires { values.resize(count); }) {
        values.resize(count);
    } else if (count != values.size()) {
        refuse(name, std::to_string(count) + " numbers", std::to_string(values.size()));
    }
    take(values.data(), count * sizeof(Element));
}

void StateArchive::field(std::string_view name, bool& value) {
    char byte = value ? 1 : 0;
    plain(Kind::yes_or_no, name, byte);
    if (byte != 0 && byte != 1) refuse(name, "neither yes nor no", "one of them");
    value = byte == 1;
}

void StateArchive::field(std::string_view name, Real& value) {
    plain(Kind::real, name, value);
}

void StateArchive::field(std::string_view name, std::uint64_t& value, std::uint64_t most) {
    plain(Kind::count, name, value);
    if (reading_ && value > most) refuse(name, std::to_string(value), "at most " + std::to_string(most));
}

void StateArchive::field(std::string_view name, std::string& value) {
    many(Kind::text, name, value);
}

void StateArchive::fixed(std::string_view name, View values) {
    many(Kind::reals, name, values);
}

void StateArchive::list(std::string_view name, std::vector<Real>& values) {
    many(Kind::reals, name, values);
}

void StateArchive::list(std::string_view name, std::vector<std::uint64_t>& values) {
    many(Kind::counts, name, values);
}

void StateArchive::list(std::string_view name, std::vector<std::uint32_t>& values) {
    many(Kind::indices, name, values);
}

void StateArchive::agree(std::string_view name, std::uint64_t value) {
    std::uint64_t found = value;
    plain(Kind::count, name, found);
    if (found != value) refuse(name, "the saved state has " + std::to_string(found), std::to_string(value));
}

void StateArchive::finish() const {
    if (place_ < bytes_.size()) refuse({}, "the saved state continues where it should end", "");
}

}  // namespace proxstream
