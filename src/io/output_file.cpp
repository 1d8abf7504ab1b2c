#include "io/output_file.hpp"

#include "proxstream/core/error.hpp"

#include <cerrno>
#include <fstream>
#include <sstream>
#include <utility>

#include <sys/stat.h>
#include <unistd.h>

namespace proxstream {

void OutputFile::Close::operator()(std::FILE* file) const noexcept {
    if (file != stdout) (void)std::fclose(file);
}

OutputFile::OutputFile(std::string path, bool append) : path_(std::move(path)) {
    file_.reset(path_ == "-" ? stdout : std::fopen(path_.c_str(), append ? "abe" : "wbe"));
    if (file_ == nullptr) fail("cannot be opened for writing");
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
    return OutputFile(std::move(path), true);
}

std::uint64_t OutputFile::bytes() {
    flush();
    struct stat status {};
    if (fstat(fileno(file_.get()), &status) != 0) fail("cannot be measured");
    return static_cast<std::uint64_t>(status.st_size);
}

void OutputFile::fail(const char* action) const {
    throw IoError(path_, action, errno);
}

void OutputFile::write(std::string_view text) {
    if (std::fwrite(text.data(), 1, text.size(), file_.get()) != text.size()) fail("cannot be written");
}

void OutputFile::flush() {
    if (std::fflush(file_.get()) != 0) fail("cannot be written");
}

void OutputFile::close() {
    flush();
    struct stat status {};
    // Pipes and terminals have nothing to synchronise.
    const bool regular = fstat(fileno(file_.get()), &status) == 0 && S_ISREG(status.st_mode);
    if (regular && fsync(fileno(file_.get())) != 0) fail("cannot be written to the disk");
    std::FILE* file = file_.release();
    if (file != stdout && std::fclose(file) != 0) fail("cannot be closed");
}

namespace {

/// Whether `path` is a device, a pipe or a link, which a new file must not replace.
bool written_through(const std::string& path) {
    struct stat status {};
    return path == "-" || (lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode));
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view content) {
    if (written_through(path)) {
        OutputFile out(path);
        out.write(content);
        out.close();
        return;
    }
    const std::string part = path + ".part";
    try {
        OutputFile out(part);
        out.write(content);
        out.close();
    } catch (const IoError&) {
        (void)std::remove(part.c_str());
        throw;
    }
    if (std::rename(part.c_str(), path.c_str()) != 0) throw IoError(path, "cannot be replaced", errno);
}

std::string read_whole_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw IoError(path, "cannot be read", errno);
    std::ostringstream text;
    text << file.rdbuf();
    if (file.bad()) throw IoError(path, "cannot be read", errno);
    return text.str();
}

}  // namespace proxstream
