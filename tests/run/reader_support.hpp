/// Helpers shared by the reader tests.
#pragma once

#include "run/row_reader.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

namespace proxstream::testing {

inline ReaderOptions csv_options(std::string label, TargetKind kind = TargetKind::number) {
    ReaderOptions options;
    options.format = RowFormat::csv;
    options.table.label = std::move(label);
    options.target.kind = kind;
    return options;
}

inline ReaderOptions libsvm_options(TargetKind kind = TargetKind::number) {
    ReaderOptions options;
    options.format = RowFormat::libsvm;
    options.target.kind = kind;
    return options;
}

inline std::unique_ptr<RowReader> open_text(const std::string& text, const ReaderOptions& options,
                                            std::size_t piece = 1U << 18U) {
    return open_inputs(std::vector{memory_input("t", text, piece)}, options);
}

/// Every row, in one block.
inline RowBlock read_all(RowReader& reader) {
    RowBlock block(reader.sparse());
    while (reader.read_row(block)) {
    }
    return block;
}

inline RowBlock read_text(const std::string& text, const ReaderOptions& options) {
    return read_all(*open_text(text, options));
}

inline std::vector<Real> row_of(const RowBlock& block, Index row) {
    return {block.values(row).begin(), block.values(row).end()};
}

template <class E>
void expect_parts(const E& error, const std::vector<std::string>& parts) {
    const std::string message = error.what();
    for (const std::string& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << "no '" << part << "' in: " << message;
    }
}

/// Runs `action` and checks that it throws E with all `parts` in its message.
template <class E, class Action>
void expect_error(Action&& action, const std::vector<std::string>& parts) {
    try {
        action();
    } catch (const E& error) {
        expect_parts(error, parts);
        return;
    } catch (const std::exception& error) {
        FAIL() << "another error: " << error.what();
    }
    FAIL() << "no error; expected one about " << parts.front();
}

/// A file that is removed when the test ends.
class TemporaryFile {
  public:
    explicit TemporaryFile(const std::string& bytes) {
        std::string name = (std::filesystem::temp_directory_path() / "proxstream-XXXXXX").string();
        const int descriptor = ::mkstemp(name.data());
        if (descriptor >= 0) ::close(descriptor);
        path_ = name;
        std::ofstream(path_, std::ios::binary) << bytes;
    }
    ~TemporaryFile() { std::filesystem::remove(path_); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace proxstream::testing
