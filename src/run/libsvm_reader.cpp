#include "run/libsvm_reader.hpp"

#include "io/field_text.hpp"
#include "io/parse_number.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <limits>

namespace proxstream {
namespace {

constexpr std::uint64_t kMaxIndex = std::numeric_limits<FeatureIndex>::max();
/// A dimension that is found in the data. The automatic window takes 1.2 kB a feature, and an index may be a
/// typing error; --dimension confirms a larger one.
constexpr Index kMostFound = 1'000'000;
constexpr const char* kPair = "index:value with an index from ";

bool is_blank(char c) noexcept {
    return c == ' ' || c == '\t';
}

const char* skip_blanks(const char* p, const char* last) noexcept {
    while (p != last && is_blank(*p)) ++p;
    return p;
}

const char* token_end(const char* p, const char* last) noexcept {
    while (p != last && !is_blank(*p)) ++p;
    return p;
}

std::string_view between(const char* p, const char* end) noexcept {
    return {p, static_cast<std::size_t>(end - p)};
}

/// Returns a pointer to the end of the digits. The value stops at kMaxIndex + 1.
const char* parse_index(const char* p, const char* last, std::uint64_t& index) noexcept {
    for (index = 0; p != last && is_digit(*p); ++p) {
        index = std::min(10 * index + static_cast<std::uint64_t>(*p - '0'), kMaxIndex + 1);
    }
    return p;
}

std::string_view without_comment(std::string_view line) noexcept {
    return line.substr(0, line.find('#'));
}

/// The largest index of a row. Indices ascend, so it is before the last colon.
std::uint64_t last_index(std::string_view line) noexcept {
    const auto colon = without_comment(line).rfind(':');
    if (colon == std::string_view::npos) return 0;
    std::size_t begin = colon;
    while (begin != 0 && is_digit(line[begin - 1])) --begin;
    if (begin != 0 && !is_blank(line[begin - 1])) return 0;  // qid:3, or an error that read_row() reports
    std::uint64_t index = 0;
    parse_index(line.data() + begin, line.data() + colon, index);
    return index;
}

}  // namespace

LibsvmReader::LibsvmReader(InputQueue inputs, LibsvmOptions options, TargetRule target)
    : inputs_(std::move(inputs)),
      zero_based_(options.zero_based),
      target_parser_(std::move(target)),
      dimension_(options.dimension),
      found_(options.dimension == 0) {
    std::vector<std::string> violations = target_parser_.rule().violations();
    if (dimension_ > kMaxIndex) {
        violations.push_back("--dimension: " + std::to_string(dimension_) + " is above the limit of " +
                             std::to_string(kMaxIndex));
    }
    for (const Input& input : inputs_.inputs()) {
        if (dimension_ != 0 || input.rereadable) continue;
        violations.push_back(
            input.name + " can be read only once, so the number of features must be given: --dimension N");
    }
    if (!violations.empty()) throw ConfigError(std::move(violations));
    if (dimension_ == 0) dimension_ = find_dimension(inputs_.max_line());
    if (inputs_.lines() == nullptr && !inputs_.advance()) throw ConfigError("no input is given");
}

Index LibsvmReader::find_dimension(std::size_t max_line) const {
    std::uint64_t largest = 0;
    bool found = false;
    for (const Input& input : inputs_.inputs()) {
        LineReader lines(input.open(), max_line);
        for (;;) {
            std::string_view line;
            try {
                if (!lines.next(line)) break;
            } catch (const DataError&) {
                continue;  // read_row() meets the error again and applies the policy
            }
            const std::uint64_t index = last_index(line);
            if (index >= kMostFound + (zero_based_ ? 0 : 1)) continue;  // read_row() refuses it
            found = found || without_comment(line).find(':') != std::string_view::npos;
            largest = std::max(largest, index);
        }
    }
    if (zero_based_ && found) ++largest;
    return std::max<Index>(largest, 1);
}

bool LibsvmReader::next_record(std::string_view& record) {
    LineReader* lines = inputs_.lines();
    while (lines != nullptr && lines->next(record)) {
        record = without_blanks(without_comment(record));
        if (!record.empty()) return true;
    }
    return false;
}

bool LibsvmReader::read_row(RowBlock& block) {
    assert(block.sparse());
    std::string_view record;
    while (!next_record(record)) {
        if (!inputs_.advance()) return false;
    }
    inputs_.count_row();
    indices_.clear();
    values_.clear();
    const char* p = record.data();
    const char* const last = p + record.size();
    field_ = 1;
    p = skip_blanks(parse_label(p, last), last);
    while (p != last) {
        ++field_;
        p = skip_blanks(parse_feature(p, last), last);
    }
    block.add_sparse(indices_, values_, target_);
    return true;
}

const char* LibsvmReader::parse_label(const char* p, const char* last) {
    const char* end = token_end(p, last);
    const std::string_view label = between(p, end);
    const bool pair = label.find(':') != std::string_view::npos;
    if (target_parser_.rule().kind == TargetKind::none && pair) {
        field_ = 0;  // a row to be predicted may have no label
        target_ = 0;
        return p;
    }
    if (!target_parser_.parse(label, target_)) {
        if (pair)
            refuse("the row starts with " + quoted_excerpt(label),
                   "a label first: " + target_parser_.allowed());
        refuse(target_parser_.rule().kind == TargetKind::number ? describe_bad_number(label)
                                                                : "unknown label " + quoted_excerpt(label),
               target_parser_.allowed());
    }
    p = skip_blanks(end, last);
    if (between(p, last).starts_with("qid:")) {
        ++field_;
        return token_end(p, last);
    }
    return p;
}

const char* LibsvmReader::parse_feature(const char* p, const char* last) {
    const std::uint64_t first_index = zero_based_ ? 0 : 1;
    std::uint64_t index = 0;
    const char* colon = parse_index(p, last, index);
    if (colon == p || colon == last || *colon != ':') {
        const std::string_view token = between(p, token_end(p, last));
        const bool has_colon = token.find(':') != std::string_view::npos;
        refuse(quoted_excerpt(token) + (has_colon ? " has no whole number in front of ':'" : " has no ':'"),
               kPair + std::to_string(first_index) + " on");
    }
    if (index < first_index) {
        refuse("the index is 0", kPair + std::string("1 on (--zero-based if the first feature is 0)"));
    }
    if (found_ && index - first_index >= kMostFound) {
        refuse("index " + std::string(between(p, colon).substr(0, 20)) + " is too large",
               "at most " + std::to_string(kMostFound - 1 + first_index) +
                   " where the dimension is found in the data; --dimension N allows more");
    }
    if (index - first_index >= dimension_) {
        refuse("index " + std::string(between(p, colon).substr(0, 20)) + " is too large",
               "at most " + std::to_string(dimension_ - 1 + first_index) + " (--dimension " +
                   std::to_string(dimension_) + ")");
    }
    const auto place = static_cast<FeatureIndex>(index - first_index);
    if (!indices_.empty() && place <= indices_.back()) {
        const std::uint64_t previous = indices_.back() + first_index;
        refuse(place == indices_.back()
                   ? "index " + std::to_string(index) + " is given twice"
                   : "index " + std::to_string(index) + " follows " + std::to_string(previous),
               "indices that ascend");
    }
    Real value = 0;
    const char* end = parse_number(colon + 1, last, value);
    if (end == nullptr || (end != last && !is_blank(*end))) {
        refuse(describe_bad_number(between(colon + 1, token_end(colon + 1, last))) + " (index " +
                   std::to_string(index) + ")",
               "a finite number");
    }
    indices_.push_back(place);
    values_.push_back(value);
    return end;
}

void LibsvmReader::refuse(const std::string& problem, const std::string& expected) const {
    throw DataError({inputs_.name(), inputs_.line(), field_, ""}, problem, expected);
}

}  // namespace proxstream
