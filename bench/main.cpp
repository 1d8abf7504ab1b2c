/// The bench: every section in turn, a table at the end, a line in the history.
///   proxstream_bench [--rows PART] [--quick] [--history FILE] [--docs PAGE] [--revision TEXT] [--peers
///   FOLDER]
///                    [--list]
#include "proxstream/core/error.hpp"

#include "harness/report.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/chrono.h>
#include <unistd.h>

namespace {

using namespace proxstream;
using namespace proxstream::bench;

struct CommandLine {
    BenchOptions bench;
    std::string history, docs, revision;
    bool list = false;
};

CommandLine read_command_line(int count, char** arguments) {
    CommandLine line;
    for (int i = 1; i < count; ++i) {
        const std::string name = arguments[i];
        const auto value = [&]() -> std::string {
            if (i + 1 == count) throw Error(name + ": expected a value");
            return arguments[++i];
        };
        if (name == "--quick") {
            line.bench.quick = true;
        } else if (name == "--list") {
            line.list = true;
        } else if (name == "--rows") {
            line.bench.filter = value();
        } else if (name == "--history") {
            line.history = value();
        } else if (name == "--docs") {
            line.docs = value();
        } else if (name == "--revision") {
            line.revision = value();
        } else if (name == "--peers") {
            line.bench.peers = value();
        } else {
            throw Error("'" + name + "' is no option: --rows PART, --quick, --history FILE, --docs PAGE, " +
                        "--revision TEXT, --peers FOLDER, --list");
        }
    }
    return line;
}

void write_docs(const std::string& path, const std::string& text) {
    std::ifstream in(path);
    std::stringstream page;
    page << in.rdbuf();
    if (!in) throw Error("cannot read " + path);
    const std::string written = replace_between_markers(page.str(), text);
    std::ofstream out(path);
    out << written;
    if (!out.flush()) throw Error("cannot write " + path);
}

/// A folder of our own for files that rows need, gone at the end.
class Temporary {
  public:
    Temporary() {
        std::string pattern = (std::filesystem::temp_directory_path() / "proxstream-bench-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw Error("cannot make a temporary folder");
        path_ = pattern;
    }
    Temporary(const Temporary&) = delete;
    Temporary& operator=(const Temporary&) = delete;
    ~Temporary() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

int measure(CommandLine line) {
    const Temporary temporary;
    line.bench.temporary = temporary.path();
    const char* data = std::getenv("PROXSTREAM_DATA");
    line.bench.data = data != nullptr ? data : "../shared/data";
    const bool quick = line.bench.quick;
    const MachineFacts machine = describe_machine();
    Bench bench(line.bench);
    // Said before the minutes of measuring, not after them.
    std::ofstream history;
    if (!line.history.empty()) {
        history.open(line.history, std::ios::app);
        if (!history) throw Error("cannot write " + line.history);
    }
    for (const Section& section : sections()) section.measure(bench);
    if (bench.rows().empty() && bench.failures().empty())
        throw Error("no row is called '" + line.bench.filter + "'; --list names the sections");

    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    const Report report{machine, fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(now)), line.revision, quick,
                        bench.rows()};
    for (const auto& [name, value] : machine) std::cout << fmt::format("{:<24}{}\n", name, value);
    std::cout << '\n' << plain_table(report);
    if (!line.history.empty()) {
        history << history_line(report) << '\n';
        if (!history.flush()) throw Error("cannot write " + line.history);
    }
    if (!line.docs.empty()) write_docs(line.docs, markdown(report));

    Index wanted = 0, reached = 0, skipped = 0;
    for (const Row& row : bench.rows()) {
        if (const auto judged = met(row)) {
            ++wanted;
            if (*judged) ++reached;
        }
        if (!row.skipped.empty()) ++skipped;
    }
    std::cout << fmt::format("\n{} rows, {} skipped, {} failed; ", bench.rows().size(), skipped,
                             bench.failures().size());
    std::cout << (quick ? "a quick run judges nothing\n"
                        : fmt::format("{} of {} wanted figures met\n", reached, wanted));
    for (const std::string& failure : bench.failures()) std::cout << "failed: " << failure << '\n';
    return bench.failures().empty() ? 0 : 1;
}

}  // namespace

int main(int count, char** arguments) {
    try {
        CommandLine line = read_command_line(count, arguments);
        if (line.list) {
            for (const Section& section : sections())
                std::cout << fmt::format("{:<10} {}\n", section.name, section.about);
            return 0;
        }
        return measure(std::move(line));
    } catch (const std::exception& error) {
        std::fputs(fmt::format("bench: {}\n", error.what()).c_str(), stderr);
        return 2;
    }
}
