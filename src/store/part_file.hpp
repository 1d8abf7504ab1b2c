/// A new store that gets its name when it is complete.
#pragma once

#include "proxstream/core/error.hpp"

#include "store/store_file.hpp"

#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

namespace proxstream {

/// Its file until then: removed unless it is finished.
class PartFile {
  public:
    explicit PartFile(std::string path) : path_(std::move(path)) {}
    ~PartFile() { remove_store(path_); }
    PartFile(const PartFile&) = delete;
    PartFile& operator=(const PartFile&) = delete;
    const std::string& path() const noexcept { return path_; }
    /// Gives the file its name, on the disk too.
    void finish(const std::string& target) const {
        if (std::filesystem::exists(target)) throw ConfigError(target + ": the file exists; name another");
        synchronise(path_, O_RDWR);
        if (std::rename(path_.c_str(), target.c_str()) != 0)
            throw IoError(target, "write the new store", errno);
        synchronise(std::filesystem::absolute(target).parent_path(), O_RDONLY | O_DIRECTORY);
    }

  private:
    static void synchronise(const std::string& path, int flags) {
        const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
        const bool done = descriptor >= 0 && ::fsync(descriptor) == 0;
        const int problem = errno;
        if (descriptor >= 0) ::close(descriptor);
        // Not every file system can synchronise a folder.
        if (!done && (flags & O_DIRECTORY) == 0) throw IoError(path, "write the new store", problem);
    }
    std::string path_;
};

}  // namespace proxstream
