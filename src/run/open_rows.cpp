#include "core/violations.hpp"
#include "io/field_text.hpp"
#include "io/parse_number.hpp"
#include "run/csv_reader.hpp"
#include "run/json_reader.hpp"
#include "run/libsvm_reader.hpp"
#include "run/synthetic.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// `label index:value ...`, separated by blanks. After the label comes a pair, not a time of day in a CSV
/// row, which a delimiter follows.
bool looks_like_libsvm(std::string_view line) {
    line = without_blanks(line);
    const std::string_view rest =
        without_blanks(line.substr(std::min(line.find_first_of(" \t"), line.size())));
    if (rest.starts_with("qid:")) return true;
    const std::string_view pair = rest.substr(0, rest.find_first_of(" \t"));
    const auto digits = pair.find_first_not_of("0123456789");
    return digits != 0 && digits != std::string_view::npos && pair[digits] == ':' &&
           pair.find_first_of(",;") == std::string_view::npos;
}

/// Decides by the first line that is neither blank nor a comment, without consuming lines. `table`: the rows
/// have named columns, perhaps a single one, or a given delimiter.
RowFormat detect_format(LineReader& lines, bool table) {
    std::string_view record;
    std::size_t begin = 0;
    for (bool more = lines.next(record); more; more = lines.extend(record)) {
        const std::string_view line = record.substr(std::min(begin, record.size()));
        begin = record.size() + 1;
        const auto text = line.find_first_not_of(" \t\r\n");
        if (text == std::string_view::npos || line[text] == '#') continue;
        lines.rewind();
        if (line[text] == '{') return RowFormat::json;
        if (table) return RowFormat::csv;
        if (looks_like_libsvm(line)) return RowFormat::libsvm;
        if (line.find_first_of(",;\t") != std::string_view::npos) return RowFormat::csv;
        throw DamagedFile({lines.name(), lines.line(), 0, ""},
                          "cannot tell the format from the line " + quoted_excerpt(line),
                          "CSV with a delimiter, JSON lines or LIBSVM's index:value; say which with --format "
                          "csv|json|libsvm, or with --delimiter '|' or --delimiter space");
    }
    throw DamagedFile({lines.name(), 0, 0, ""}, "the input is empty: it has no rows",
                      "CSV, JSON or LIBSVM rows");
}

void refuse_column_options(const TableOptions& table, const std::string& kind) {
    Violations violations;
    const auto check = [&](bool given, const char* option) {
        violations.require(!given, "{}: {} has no named columns", option, kind);
    };
    check(!table.label.empty(), "--label");
    check(!table.features.empty(), "--features");
    check(!table.ignore.empty(), "--ignore");
    check(!table.lagged.empty(), "--lag-columns");
    check(!table.text.empty(), "--text");
    check(!table.time.empty(), "--time");
    check(!table.weight.empty(), "--weight");
    check(!table.key.empty(), "--key");
    violations.conclude();
}

}  // namespace

std::unique_ptr<RowReader> open_inputs(std::vector<Input> inputs, const ReaderOptions& options) {
    InputQueue queue(std::move(inputs), options.max_line);
    RowFormat format = options.format;
    if (format == RowFormat::detect) {
        if (!queue.advance()) throw ConfigError("no input is given");
        format =
            detect_format(*queue.lines(), options.table.model.has_value() || options.table.delimiter != 0);
    }
    if (format == RowFormat::csv) {
        return std::make_unique<CsvReader>(std::move(queue), options.table, options.target);
    }
    if (format == RowFormat::json)
        return std::make_unique<JsonReader>(std::move(queue), options.table, options.target);
    refuse_column_options(options.table, "LIBSVM");
    return std::make_unique<LibsvmReader>(std::move(queue), options.libsvm, options.target);
}

std::unique_ptr<RowReader> open_rows(const std::vector<std::string>& paths, const ReaderOptions& options) {
    for (const std::string& path : paths) {
        if (!path.starts_with(kBuiltinPrefix)) continue;
        if (paths.size() > 1) throw ConfigError("'" + path + "' cannot be combined with other inputs");
        refuse_column_options(options.table, "a built-in stream");
        return open_builtin(std::string_view(path).substr(kBuiltinPrefix.size()), options.target.kind);
    }
    if (paths.empty()) return open_rows(std::vector<std::string>{"-"}, options);
    if (std::count(paths.begin(), paths.end(), "-") > 1) {
        throw ConfigError("'-' (standard input) can be given only once");
    }
    std::vector<Input> inputs;
    inputs.reserve(paths.size());
    for (const std::string& path : paths) inputs.push_back(file_input(path, options.stop));
    return open_inputs(std::move(inputs), options);
}

}  // namespace proxstream
