#include "store/export.hpp"

#include "proxstream/core/error.hpp"

#include "core/parse_json.hpp"
#include "core/violations.hpp"
#include "io/json_writer.hpp"
#include "io/row_splitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

using nlohmann::json;
using Write = std::function<void(std::string_view)>;

constexpr std::array<std::string_view, 4> kWhat{"ledger", "decisions", "figures", "inputs"};
constexpr std::array<std::string_view, 3> kFormats{"jsonl", "csv", "npy"};

/// Rows of numbers in one of the formats.
class NumberTable {
  public:
    NumberTable(const std::string& format, std::vector<std::string> names, const Write& write)
        : format_(format), names_(std::move(names)), write_(write) {
        if (format_ == "csv") write_(fmt::format("{}\n", fmt::join(names_, ",")));
    }

    /// Missing numbers at the end are unknown.
    void row(std::vector<Real> numbers) {
        numbers.resize(names_.size(), std::nan(""));
        if (format_ == "npy") {
            gathered_.insert(gathered_.end(), numbers.begin(), numbers.end());
        } else {
            write_((format_ == "csv" ? csv_line(numbers) : json_line(numbers)) + '\n');
        }
    }

    /// NumPy's format 1.0, with columns by name: its header holds the number of rows, so they come after it.
    void finish() const {
        if (format_ != "npy") return;
        std::string fields;
        for (const std::string& name : names_) fields += fmt::format("('{}', '<f8'), ", name);
        std::string header =
            fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}",
                        fields.substr(0, fields.size() - 2), gathered_.size() / names_.size());
        constexpr std::size_t kPreamble = 10;
        constexpr std::size_t kAlignment = 64;
        while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
        header += '\n';
        std::string preamble = "\x93NUMPY";
        preamble +=
            {'\x01', '\0', static_cast<char>(header.size() & 0xffU), static_cast<char>(header.size() >> 8U)};
        write_(preamble + header);
        constexpr std::size_t kPiece = 8192;
        for (std::size_t i = 0; i < gathered_.size(); i += kPiece) {
            const std::size_t count = std::min(kPiece, gathered_.size() - i);
            write_({reinterpret_cast<const char*>(gathered_.data() + i), count * sizeof(Real)});
        }
    }

  private:
    static std::string csv_line(const std::vector<Real>& numbers) {
        std::string line;
        for (Index i = 0; i < numbers.size(); ++i) {
            if (i > 0) line += ',';
            if (!std::isnan(numbers[i])) line += fmt::format("{}", numbers[i]);
        }
        return line;
    }
    std::string json_line(const std::vector<Real>& numbers) const {
        return json_object([&](JsonWriter& to) {
            for (Index i = 0; i < numbers.size(); ++i)
                to.json(names_[i], std::isfinite(numbers[i]) ? fmt::format("{}", numbers[i]) : "null");
        });
    }

    std::string format_;
    std::vector<std::string> names_;
    const Write& write_;
    std::vector<Real> gathered_;  // all rows, for npy
};

void export_figures(const RunStore& store, const ExportOptions& options, const Write& write) {
    std::vector<std::string> names{"turn", "time"};
    const std::vector<std::string>& channels = store.identity().channels;
    names.insert(names.end(), channels.begin(), channels.end());
    NumberTable table(options.format, names, write);
    store.turns(options.first, options.last, [&](const StoredTurn& turn) {
        std::vector<Real> row{static_cast<Real>(turn.turn), static_cast<Real>(turn.time)};
        row.insert(row.end(), turn.figures.begin(), turn.figures.end());
        table.row(std::move(row));
        return true;
    });
    table.finish();
}

void export_ledger_lines(const RunStore& store, const ExportOptions& options, const Write& write) {
    const ExportOptions all;
    if (options.first == all.first && options.last == all.last) {
        return store.ledger(options.account, [&](std::string_view line) {
            write(line);
            return true;
        });
    }
    store.ledger_rows(options.account, options.first, options.last, [&](Turn turn, std::string_view line) {
        if (turn > 0) write(line);
        return true;
    });
}

void export_ledger_table(const RunStore& store, const ExportOptions& options, const Write& write) {
    std::optional<NumberTable> table;
    std::vector<std::string> keys{"t"};
    store.ledger_rows(options.account, options.first, options.last, [&](Turn turn, std::string_view line) {
        const json row = turn > 0 ? parse_json(line) : json();
        if (!row.is_object()) return true;
        if (!table) {
            // A refused round has fewer keys than others: the first round that was played names the columns.
            if (row.value("s", "") == "refused") return true;
            for (const auto& [key, value] : row.items())
                if (value.is_number() && key != "t") keys.push_back(key);
            std::vector<std::string> names{"turn"};
            names.insert(names.end(), keys.begin(), keys.end());
            table.emplace(options.format, names, write);
        }
        std::vector<Real> numbers{static_cast<Real>(turn)};
        for (const std::string& key : keys) {
            const auto found = row.find(key);
            numbers.push_back(found != row.end() && found->is_number() ? found->get<Real>() : std::nan(""));
        }
        table->row(std::move(numbers));
        return true;
    });
    if (table) table->finish();
}

/// Decisions and inputs: the JSON of each turn.
void export_texts(const RunStore& store, const ExportOptions& options, std::string StoredTurn::*text,
                  const std::string& name, const Write& write) {
    const bool csv = options.format == "csv";
    if (csv) write("turn,key," + name + "\n");
    store.turns(options.first, options.last, [&](const StoredTurn& turn) {
        if ((turn.*text).empty()) return true;
        std::string line;
        if (csv) {
            line = fmt::format("{},", turn.turn);
            append_csv_field(line, turn.key);
            line += ',';
            append_csv_field(line, turn.*text);
        } else {
            line = json_object([&](JsonWriter& to) {
                to.put("turn", turn.turn);
                if (!turn.key.empty()) to.put("key", turn.key);
                to.json(name, turn.*text);
            });
        }
        write(line + '\n');
        return true;
    });
}

}  // namespace

void validate(const ExportOptions& options) {
    Violations violations;
    const auto require = [&](const auto& known, const char* name, const std::string& value) {
        violations.require(std::find(known.begin(), known.end(), value) != known.end(),
                           "{} = '{}': must be one of {}", name, value, fmt::join(known, ", "));
    };
    require(kWhat, "what", options.what);
    require(kFormats, "format", options.format);
    violations.require(options.format != "npy" || (options.what != "decisions" && options.what != "inputs"),
                       "format = npy: {} are JSON, which npy cannot hold; use jsonl or csv", options.what);
    violations.require(options.first <= options.last, "first: comes after last");
    violations.conclude();
}

void export_run(const RunStore& store, const ExportOptions& options, const Write& write) {
    validate(options);
    if (options.what == "figures") return export_figures(store, options, write);
    if (options.what == "decisions")
        return export_texts(store, options, &StoredTurn::decision, "decision", write);
    if (options.what == "inputs") return export_texts(store, options, &StoredTurn::input, "input", write);
    options.format == "jsonl" ? export_ledger_lines(store, options, write)
                              : export_ledger_table(store, options, write);
}

}  // namespace proxstream
