/// The files of a command, checked before it begins. No output is an input, no two outputs are one file, and
/// every output can be written.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// Options are named without dashes. An empty path is no file; an input may be a name such as builtin:drift.
/// "-", and what no option names, is the file on standard input or output, if there is one.
class OutputPlan {
  public:
    void reads(std::string_view option, const std::string& path);
    void writes(std::string_view option, const std::string& path);
    /// A file that the run may write into a folder of its own, which it makes itself.
    void writes_in(std::string_view option, const std::string& folder, std::string_view file);

    /// Throws ConfigError with every file that is named twice, then IoError for the first output that cannot
    /// be written. Writes nothing.
    void check() const;

  private:
    enum class Use { input, output, output_in_folder };
    struct Entry {
        std::string option;
        std::string path;
        Use use;
    };
    bool in_new_folder(const std::string& path) const;
    void add(std::string_view option, const std::string& path, Use use);

    std::vector<Entry> entries_;
    bool prints_ = false;  // an output is "-"
};

}  // namespace proxstream
