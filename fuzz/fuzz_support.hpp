/// What every fuzz target has in common: the first bytes choose the options, a broken promise traps.
#pragma once

#include "proxstream/core/linalg.hpp"

#include "run/row_reader.hpp"

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace proxstream::fuzz {

inline void require(bool holds, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    if (holds) return;
    std::fprintf(stderr, "%s:%d: does not hold\n", file, line);
    std::abort();
}

/// Takes bytes off the front; zero when there are none left.
class Choices {
  public:
    Choices(const std::uint8_t* data, std::size_t size) : rest_(reinterpret_cast<const char*>(data), size) {}

    std::uint8_t byte() {
        if (rest_.empty()) return 0;
        const auto value = static_cast<std::uint8_t>(rest_.front());
        rest_.remove_prefix(1);
        return value;
    }
    std::string_view rest() const { return rest_; }

  private:
    std::string_view rest_;
};

inline TargetRule target_rule(std::uint8_t choice) {
    switch (choice % 6) {
        case 0:
            return {TargetKind::number, {}, 0};
        case 1:
            return {TargetKind::sign, {}, 0};
        case 2:
            return {TargetKind::sign, {"no", "yes"}, 0};
        case 3:
            return {TargetKind::category, {}, 3};
        case 4:
            return {TargetKind::category, {"0", "b", "c,d"}, 0};
        default:
            return {TargetKind::none, {}, 0};
    }
}

/// Roles of columns and other options of tables that do not depend on the format.
inline void choose_columns(TableOptions& table, std::uint8_t flags) {
    table.look_ahead = flags % 4;
    if ((flags & 4U) != 0) table.text = {"a"};
    if ((flags & 8U) != 0) table.time = {"t"};
    if ((flags & 16U) != 0) table.weight = "w";
    if ((flags & 32U) != 0) table.key = "k";
    table.missing = (flags & 64U) != 0;
    table.unlabelled = (flags & 128U) != 0;
}

/// Reads everything and checks what RowReader promises: rows are whole or absent, and numbers are finite; a
/// label that may be missing is NaN. A bad row costs one call and not the rest of the stream. Returns the
/// rows as text.
inline std::string read_everything(RowReader& reader, std::size_t input_size, bool unlabelled) {
    std::string text;
    RowBlock block(reader.sparse());
    std::size_t calls = 0;
    for (bool more = true; more;) {
        const Index rows = block.rows();
        const Index stored = block.all_values().size();
        require(++calls <= input_size + 3);
        try {
            more = reader.read_row(block);
        } catch (const DataError& error) {
            require(!std::string_view(error.what()).empty());
            require(block.rows() == rows && block.all_values().size() == stored);
            text += std::string(error.what()) + '\n';
            continue;
        }
        require(block.rows() == rows + (more ? 1 : 0));
        if (!more) break;
        const ConstView values = block.values(rows);
        require(all_finite(values));
        const ConstView target = block.targets().subspan(rows);
        require(all_finite(target) || (unlabelled && std::isnan(target[0])));
        if (!block.weights().empty())
            require(block.weights()[rows] >= 0 && std::isfinite(block.weights()[rows]));
        for (const Real value : values) text += std::to_string(value) + ' ';
        text += std::to_string(target[0]) + ' ' + reader.key() + '\n';
        if (!reader.sparse()) {
            require(values.size() == reader.features());
            continue;
        }
        const auto indices = block.indices(rows);
        for (std::size_t i = 0; i < indices.size(); ++i) {
            require(indices[i] < reader.features() && (i == 0 || indices[i - 1] < indices[i]));
        }
    }
    return text;
}

/// Opens `bytes` as rows and reads them; any Error is an answer, anything else a finding. Returns the rows
/// and messages as text.
inline std::string read_rows(std::string_view bytes, const ReaderOptions& options, std::size_t piece) {
    try {
        const auto reader = open_inputs({memory_input("f", std::string(bytes), piece)}, options);
        return read_everything(*reader, bytes.size(), options.table.unlabelled);
    } catch (const Error& error) {
        return error.what();
    }
}

}  // namespace proxstream::fuzz
