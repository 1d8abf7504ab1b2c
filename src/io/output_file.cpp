#include "io/output_file.hpp"

#include "proxstream/core/error.hpp"

#include <cerrno>
#include <filesystem>
#include <new>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace proxstream {

namespace {

constexpr mode_t kPermissions = 0777;

struct CloseInput {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};

/// Standard output by one of its names, or another open file: a new file must not take such a name.
bool is_open_file(const std::string& path) {
    return path == "-" || path.starts_with("/dev/") || path.starts_with("/proc/");
}

/// The plain file that a new one at `path` replaces or becomes, links followed; "" if `path` is written
/// directly.
std::string replaceable(const std::string& path) {
    struct stat status {};
    if (is_open_file(path)) return {};
    if (lstat(path.c_str(), &status) != 0) return path;
    if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return {};
    std::error_code problem;
    const std::filesystem::path real = std::filesystem::canonical(path, problem);
    return problem ? std::string() : real.string();
}

/// Creates an empty file beside `target`, with its permissions if it exists.
std::string make_part(const std::string& target) {
    constexpr int kAttempts = 1000;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
        std::string part = target + ".part-" + std::to_string(getpid()) + "-" + std::to_string(attempt);
        const int descriptor = open(part.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno == EEXIST) continue;
        if (descriptor < 0) break;
        struct stat old {};
        if (stat(target.c_str(), &old) == 0) (void)fchmod(descriptor, old.st_mode & kPermissions);
        ::close(descriptor);
        return part;
    }
    throw IoError(target, "cannot be opened for writing", errno);
}

}  // namespace

void OutputFile::Close::operator()(std::FILE* file) const noexcept {
    if (file != stdout) (void)std::fclose(file);
}

void OutputFile::Remove::operator()(const std::string* file) const noexcept {
    (void)std::remove(file->c_str());
    const std::unique_ptr<const std::string> owned(file);
}

OutputFile::OutputFile(std::string path, bool append) : path_(std::move(path)) {
    file_.reset(path_ == "-" ? stdout : std::fopen(path_.c_str(), append ? "abe" : "wbe"));
    if (file_ == nullptr) fail("cannot be opened for writing");
}

OutputFile::OutputFile(std::string path, const std::string& target)
    : path_(std::move(path)), target_(target), part_(new std::string(make_part(target))) {
    file_.reset(std::fopen(part_->c_str(), "wbe"));
    if (file_ == nullptr) fail("cannot be opened for writing");
}

OutputFile OutputFile::fresh(std::string path, bool continues) {
    const std::string target = continues ? std::string() : replaceable(path);
    struct stat status {};
    if (target.empty() || stat(target.c_str(), &status) != 0) return OutputFile(std::move(path));
    return {std::move(path), target};
}

OutputFile OutputFile::continue_after(std::string path, std::uint64_t bytes) {
    struct stat status {};
    const auto refuse = [&](const std::string& problem) {
        throw DataError({.source = path, .line = 0, .column = 0, .field = ""}, problem,
                        "the file as the run left it, with at least " + std::to_string(bytes) + " bytes");
    };
    if (path == "-" || stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        refuse("there is no such file to continue");
    if (static_cast<std::uint64_t>(status.st_size) < bytes)
        refuse("it has only " + std::to_string(status.st_size) + " bytes");
    if (truncate(path.c_str(), static_cast<off_t>(bytes)) != 0) throw IoError(path, "cannot be cut", errno);
    const OutputMark end = read_mark(path, bytes);
    OutputFile file(std::move(path), true);
    file.end_ = end;
    return file;
}

void OutputFile::fail(const char* action) const {
    throw IoError(path_, action, errno);
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("cannot be written");
    end_.add(text);
}

void OutputFile::flush() {
    if (std::fflush(file_.get()) != 0) fail("cannot be written");
}

/// Returns whether it is a plain file: pipes and terminals have nothing to synchronise.
bool OutputFile::synchronise() {
    flush();
    struct stat status {};
    const bool regular = fstat(fileno(file_.get()), &status) == 0 && S_ISREG(status.st_mode);
    if (regular && fsync(fileno(file_.get())) != 0) fail("cannot be written to the disk");
    return regular;
}

void OutputFile::mark(OutputMarks& marks) {
    if (synchronise() && path_ != "-") marks.insert_or_assign(path_, end_);
}

void OutputFile::close() {
    synchronise();
    std::FILE* file = file_.release();
    if (file != stdout && std::fclose(file) != 0) fail("cannot be closed");
    if (part_ == nullptr) return;
    if (std::rename(part_->c_str(), target_.c_str()) != 0) fail("cannot be replaced");
    const std::unique_ptr<const std::string> done(part_.release());  // there is nothing to remove
}

void write_whole_file(const std::string& path, std::string_view content) {
    const std::string target = replaceable(path);
    OutputFile out = target.empty() ? OutputFile(path) : OutputFile(path, target);
    out.write(content);
    out.close();
}

bool is_regular_file(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

std::string read_whole_file(const std::string& path, std::size_t most) try {
    constexpr std::size_t kPiece = std::size_t{1} << 16U;
    const std::unique_ptr<std::FILE, CloseInput> file(std::fopen(path.c_str(), "rb"));
    if (!file) throw IoError(path, "cannot be read", errno);
    std::string text;
    for (;;) {
        const std::size_t before = text.size();
        text.resize(before + kPiece);
        text.resize(before + std::fread(text.data() + before, 1, kPiece, file.get()));
        if (std::ferror(file.get()) != 0) throw IoError(path, "cannot be read", errno);
        if (text.size() > most) {
            throw DataError({.source = path, .line = 0, .column = 0, .field = ""},
                            "the file is larger than the limit of " + std::to_string(most) + " bytes",
                            "settings, not data");
        }
        if (text.size() == before) return text;
    }
} catch (const std::bad_alloc&) {
    throw IoError(path, "cannot be read", ENOMEM);
}

}  // namespace proxstream
