#include "proxstream/io/byte_source.hpp"

#include "io/gzip_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

namespace proxstream {
namespace {

constexpr int kStopPollMilliseconds = 100;

class FileSource final : public ByteSource {
  public:
    FileSource(const std::string& path, std::string name, StopFlag stop)
        : name_(std::move(name)), stop_(stop), owned_(path != "-") {
        descriptor_ = owned_ ? ::open(path.c_str(), O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
        if (descriptor_ < 0) throw IoError(name_, "cannot open", errno);
        struct stat status {};
        // A regular file never makes its reader wait, so there is nothing for a stop flag to interrupt.
        if (::fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) stop_ = nullptr;
    }
    ~FileSource() override {
        if (owned_) ::close(descriptor_);
    }
    FileSource(const FileSource&) = delete;
    FileSource& operator=(const FileSource&) = delete;

    std::size_t read(std::span<char> into) override {
        while (!stopped_) {
            if (!wait_for_data()) continue;
            const ssize_t count = ::read(descriptor_, into.data(), into.size());
            if (count >= 0) return static_cast<std::size_t>(count);
            if (errno != EINTR && errno != EAGAIN) throw IoError(name_, "cannot read", errno);
        }
        return 0;
    }
    const std::string& name() const noexcept override { return name_; }
    bool stopped() const noexcept override { return stopped_; }

  private:
    /// A signal may arrive just before a blocking read and would then be noticed only after the next line.
    /// Polling with a timeout closes that gap.
    bool wait_for_data() {
        if (stop_ == nullptr) return true;
        pollfd waiting{descriptor_, POLLIN, 0};
        const int ready = ::poll(&waiting, 1, kStopPollMilliseconds);
        stopped_ = stop_->load(std::memory_order_relaxed);
        return ready > 0 && !stopped_;
    }

    std::string name_;
    StopFlag stop_;
    bool owned_;
    bool stopped_ = false;
    int descriptor_ = -1;
};

class MemorySource final : public ByteSource {
  public:
    MemorySource(std::string name, std::shared_ptr<const std::string> bytes, std::size_t piece)
        : name_(std::move(name)), bytes_(std::move(bytes)), piece_(std::max<std::size_t>(piece, 1)) {}

    std::size_t read(std::span<char> into) override {
        const std::size_t count = std::min({into.size(), piece_, bytes_->size() - position_});
        std::memcpy(into.data(), bytes_->data() + position_, count);
        position_ += count;
        return count;
    }
    const std::string& name() const noexcept override { return name_; }

  private:
    std::string name_;
    std::shared_ptr<const std::string> bytes_;
    std::size_t piece_;
    std::size_t position_ = 0;
};

}  // namespace

Input file_input(const std::string& path, StopFlag stop) {
    const bool is_stdin = path == "-";
    std::string name = is_stdin ? "<stdin>" : path;
    struct stat status {};
    if ((is_stdin ? ::fstat(STDIN_FILENO, &status) : ::stat(path.c_str(), &status)) != 0) {
        throw IoError(name, "cannot open", errno);
    }
    if (S_ISDIR(status.st_mode)) throw IoError(name, "cannot read", EISDIR);
    if (!is_stdin && ::access(path.c_str(), R_OK) != 0) throw IoError(name, "cannot open", errno);
    Input input{name, !is_stdin && S_ISREG(status.st_mode), {}};
    input.open = [path, name = std::move(name), stop] {
        return gunzipped(std::make_unique<FileSource>(path, name, stop));
    };
    return input;
}

Input memory_input(std::string name, std::string bytes, std::size_t piece) {
    Input input{name, true, {}};
    input.open = [name = std::move(name), shared = std::make_shared<const std::string>(std::move(bytes)),
                  piece] { return gunzipped(std::make_unique<MemorySource>(name, shared, piece)); };
    return input;
}

}  // namespace proxstream
