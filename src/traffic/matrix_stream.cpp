#include "traffic/matrix_stream.hpp"

#include "proxstream/core/spec.hpp"

#include "traffic/field_text.hpp"

#include <cmath>

namespace proxstream {
namespace {

constexpr Index kDiagonal = ~Index{0};
constexpr Index kForeign = kDiagonal - 1;  // a pair that is not asked for
constexpr std::string_view kBlanks = " \t";
constexpr std::string_view kSeparators = " \t,;";

/// Walks over the values of a row: blanks, tabs, one comma or one semicolon stand between two.
class RowCursor {
  public:
    explicit RowCursor(std::string_view row) : row_(without_blanks(row)) {}

    bool done() const noexcept { return !open_ && at_ == row_.size(); }
    /// The text of the next value; empty between two commas.
    std::string_view next() {
        const auto end = std::min(row_.find_first_of(kSeparators, at_), row_.size());
        const std::string_view text = row_.substr(at_, end - at_);
        at_ = std::min(row_.find_first_not_of(kBlanks, end), row_.size());
        open_ = at_ < row_.size() && (row_[at_] == ',' || row_[at_] == ';');
        if (open_) at_ = std::min(row_.find_first_not_of(kBlanks, at_ + 1), row_.size());
        return text;
    }

  private:
    std::string_view row_;
    std::size_t at_ = 0;
    bool open_ = false;  // a comma was passed: a value has to follow
};

Index count_values(std::string_view row) {
    Index count = 0;
    for (RowCursor cursor(row); !cursor.done(); ++count) cursor.next();
    return count;
}

std::string describe_size(Index size, std::string_view of_what) {
    return std::to_string(size * size) + " (" + std::to_string(size) + " x " + std::to_string(size) +
           std::string(of_what) + ")";
}

}  // namespace

std::unique_ptr<DemandStream> MatrixStream::open(std::unique_ptr<LineReader> lines, const Network& network,
                                                 const DemandOptions& options) {
    std::string_view row;
    if (!next_full_line(*lines, row)) {
        throw DamagedFile({lines->name(), 0, 0, ""}, "the input is empty", "a row of numbers a period");
    }
    const Index values = count_values(row);
    const Index zones = options.zones == 0 ? network.nodes() : options.zones;
    for (const Index size : {network.nodes(), zones}) {
        if (values != size * size) continue;
        lines->rewind();
        DemandOptions fixed = options;
        if (fixed.pairs.empty()) fixed.pairs = PairIndex::all_pairs(size);
        return std::unique_ptr<DemandStream>(new MatrixStream(std::move(lines), network, fixed, size));
    }
    throw DamagedFile({lines->name(), lines->line(), 0, ""}, "the first row has " + count_of(values, "value"),
                      describe_size(network.nodes(), " nodes") +
                          (zones == network.nodes() ? "" : " or " + describe_size(zones, " zones")));
}

MatrixStream::MatrixStream(std::unique_ptr<LineReader> lines, const Network& network,
                           const DemandOptions& options, Index size)
    : LineDemand(std::move(lines), network, options), size_(size) {
    slots_.reserve(size * size);
    for (NodeIndex origin = 0; origin < size; ++origin) {
        for (NodeIndex destination = 0; destination < size; ++destination) {
            slots_.push_back(origin == destination ? kDiagonal
                                                   : index().find({origin, destination}).value_or(kForeign));
        }
    }
}

LineDemand::Head MatrixStream::read_head(std::string_view /*line*/, std::vector<NetworkEvent>& /*events*/) {
    return {};
}

void MatrixStream::read_body(std::string_view line, std::vector<Real>& demand) {
    Index cell = 0;
    for (RowCursor cursor(line); !cursor.done(); ++cell) {
        const std::string_view text = cursor.next();
        if (cell < slots_.size()) place(cell, read_amount(text, [&] { return locate(cell); }), demand);
    }
    if (cell != slots_.size()) {
        throw DataError({source(), this->line(), 0, ""}, "the row has " + count_of(cell, "value"),
                        describe_size(size_, ""));
    }
}

void MatrixStream::place(Index cell, Real value, std::vector<Real>& demand) {
    if (slots_[cell] == kDiagonal) {
        dropped_ += value;
    } else if (slots_[cell] != kForeign) {
        demand[slots_[cell]] = scaled(value, [&] { return locate(cell); });
        kept_ += value;
    } else if (value > 0) {
        refuse_stranger(locate(cell));
    }
}

DataLocation MatrixStream::locate(Index cell) const {
    const Pair pair{static_cast<NodeIndex>(cell / size_), static_cast<NodeIndex>(cell % size_)};
    return {source(), line(), cell + 1, pair_name(network(), pair)};
}

std::vector<std::string> MatrixStream::notes() const {
    if (dropped_ == 0) return {};
    const Real share = std::round(1000 * dropped_ / (dropped_ + kept_)) / 10;
    return {"the diagonal is dropped: " + format_short(share) + " % of all demand so far"};
}

}  // namespace proxstream
