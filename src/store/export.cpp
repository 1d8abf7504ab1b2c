#include "store/export.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

using nlohmann::json;
using Write = std::function<void(std::string_view)>;

constexpr std::array<std::string_view, 4> kWhat{"ledger", "decisions", "figures", "inputs"};
constexpr std::array<std::string_view, 3> kFormats{"jsonl", "csv", "npy"};

template <class List>
bool contains(const List& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// Text as a field of CSV.
std::string quoted_field(std::string_view text) {
    std::string field = "\"";
    for (const char each : text) {
        if (each == '"') field += '"';
        field += each;
    }
    return field + '"';
}

/// Rows of numbers, by names.
class NumberTable {
  public:
    virtual ~NumberTable() = default;
    virtual void row(const std::vector<Real>& numbers) = 0;
    virtual void finish() {}
};

class CsvTable final : public NumberTable {
  public:
    CsvTable(const std::vector<std::string>& names, const Write& write) : write_(write) {
        write_(fmt::format("{}\n", fmt::join(names, ",")));
    }
    void row(const std::vector<Real>& numbers) override {
        line_.clear();
        for (Index i = 0; i < numbers.size(); ++i) {
            if (i > 0) line_ += ',';
            if (!std::isnan(numbers[i])) line_ += fmt::format("{}", numbers[i]);
        }
        line_ += '\n';
        write_(line_);
    }

  private:
    const Write& write_;
    std::string line_;
};

/// NumPy's format, version 1.0: a structured array, so that columns have their names. The number of rows
/// stands in front, so they are gathered first.
class NpyTable final : public NumberTable {
  public:
    NpyTable(const std::vector<std::string>& names, const Write& write) : names_(names), write_(write) {}
    void row(const std::vector<Real>& numbers) override {
        numbers_.insert(numbers_.end(), numbers.begin(), numbers.end());
    }
    void finish() override {
        std::string fields;
        for (const std::string& name : names_) fields += fmt::format("('{}', '<f8'), ", name);
        const Index rows = names_.empty() ? 0 : numbers_.size() / names_.size();
        std::string header = fmt::format("{{'descr': [{}], 'fortran_order': False, 'shape': ({},), }}",
                                         fields.substr(0, fields.size() - 2), rows);
        constexpr std::size_t kPreamble = 10;
        constexpr std::size_t kAlignment = 64;
        while ((kPreamble + header.size() + 1) % kAlignment != 0) header += ' ';
        header += '\n';
        std::string preamble = "\x93NUMPY";
        preamble += '\x01';
        preamble += '\0';
        preamble += static_cast<char>(header.size() & 0xffU);
        preamble += static_cast<char>(header.size() >> 8U);
        write_(preamble + header);
        constexpr std::size_t kPiece = 8192;
        for (std::size_t i = 0; i < numbers_.size(); i += kPiece) {
            const std::size_t count = std::min(kPiece, numbers_.size() - i);
            write_({reinterpret_cast<const char*>(numbers_.data() + i), count * sizeof(Real)});
        }
    }

  private:
    std::vector<std::string> names_;
    const Write& write_;
    std::vector<Real> numbers_;
};

std::unique_ptr<NumberTable> make_table(const std::string& format, const std::vector<std::string>& names,
                                        const Write& write) {
    if (format == "csv") return std::make_unique<CsvTable>(names, write);
    return std::make_unique<NpyTable>(names, write);
}

void export_figures(const RunStore& store, const ExportOptions& options, const Write& write) {
    const std::vector<std::string>& channels = store.identity().channels;
    if (options.format == "jsonl") {
        return store.turns(options.first, options.last, [&](const StoredTurn& turn) {
            json row{{"turn", turn.turn}, {"time", turn.time}};
            for (Index i = 0; i < std::min(channels.size(), turn.figures.size()); ++i)
                row[channels[i]] = std::isfinite(turn.figures[i]) ? json(turn.figures[i]) : json(nullptr);
            write(row.dump() + '\n');
            return true;
        });
    }
    std::vector<std::string> names{"turn", "time"};
    names.insert(names.end(), channels.begin(), channels.end());
    const auto table = make_table(options.format, names, write);
    store.turns(options.first, options.last, [&](const StoredTurn& turn) {
        std::vector<Real> row{static_cast<Real>(turn.turn), static_cast<Real>(turn.time)};
        row.insert(row.end(), turn.figures.begin(), turn.figures.end());
        row.resize(names.size(), std::nan(""));
        table->row(row);
        return true;
    });
    table->finish();
}

/// A number or its bits of a ledger's row; NaN where there is none.
Real figure_of(const json& row, const std::string& key) {
    const auto found = row.find(key);
    return found != row.end() && found->is_number() ? found->get<Real>() : std::nan("");
}

void export_ledger(const RunStore& store, const ExportOptions& options, const Write& write) {
    if (options.format == "jsonl") {
        // Whole, with its header and footer, if no turns are asked for.
        const ExportOptions all;
        if (options.first == all.first && options.last == all.last) {
            return store.ledger(options.account, [&](std::string_view line) {
                write(line);
                return true;
            });
        }
        return store.ledger_rows(options.account, options.first, options.last,
                                 [&](Turn turn, std::string_view line) {
                                     if (turn > 0) write(line);
                                     return true;
                                 });
    }
    std::unique_ptr<NumberTable> table;
    std::vector<std::string> keys;
    store.ledger_rows(options.account, options.first, options.last, [&](Turn turn, std::string_view line) {
        if (turn == 0) return true;  // the header
        const json row = json::parse(line, nullptr, false);
        if (row.is_discarded()) return true;
        if (!table) {
            // A refused round has fewer keys than any other: the first that was played names the columns.
            if (row.value("s", "") == "refused") return true;
            for (const auto& [key, value] : row.items())
                if (value.is_number() && key != "t") keys.push_back(key);
            std::vector<std::string> names{"turn", "t"};
            names.insert(names.end(), keys.begin(), keys.end());
            table = make_table(options.format, names, write);
        }
        std::vector<Real> numbers{static_cast<Real>(turn), figure_of(row, "t")};
        for (const std::string& key : keys) numbers.push_back(figure_of(row, key));
        table->row(numbers);
        return true;
    });
    if (table) table->finish();
}

/// Decisions and inputs: JSON of each turn.
void export_texts(const RunStore& store, const ExportOptions& options, std::string StoredTurn::*text,
                  const std::string& name, const Write& write) {
    const bool csv = options.format == "csv";
    if (csv) write("turn,key," + name + "\n");
    store.turns(options.first, options.last, [&](const StoredTurn& turn) {
        if ((turn.*text).empty()) return true;
        if (csv) {
            write(fmt::format("{},{},{}\n", turn.turn, quoted_field(turn.key), quoted_field(turn.*text)));
            return true;
        }
        const std::string key =
            turn.key.empty()
                ? ""
                : ",\"key\":" + json(turn.key).dump(-1, ' ', false, json::error_handler_t::replace);
        write(fmt::format("{{\"turn\":{}{},\"{}\":{}}}\n", turn.turn, key, name, turn.*text));
        return true;
    });
}

}  // namespace

void validate(const ExportOptions& options) {
    std::vector<std::string> violations;
    const auto ask = [&](const auto& known, const std::string& name, const std::string& value) {
        if (!contains(known, value))
            violations.push_back(
                fmt::format("{} = '{}': must be one of {}", name, value, fmt::join(known, ", ")));
    };
    ask(kWhat, "what", options.what);
    ask(kFormats, "format", options.format);
    if (options.format == "npy" && (options.what == "decisions" || options.what == "inputs"))
        violations.push_back("format = npy: " + options.what +
                             " are JSON, not rows of numbers; take jsonl or csv");
    if (options.first > options.last) violations.emplace_back("first: comes after last");
    if (!violations.empty()) throw ConfigError(violations);
}

void export_run(const RunStore& store, const ExportOptions& options, const Write& write) {
    validate(options);
    if (options.what == "ledger") return export_ledger(store, options, write);
    if (options.what == "figures") return export_figures(store, options, write);
    const bool decisions = options.what == "decisions";
    export_texts(store, options, decisions ? &StoredTurn::decision : &StoredTurn::input,
                 decisions ? "decision" : "input", write);
}

}  // namespace proxstream
