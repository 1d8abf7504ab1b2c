#include "faults/launch.hpp"

#include "proxstream/core/error.hpp"

#include "io/output_file.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace proxstream::faults {
namespace {

/// A program that hangs is ended by the alarm.
constexpr unsigned kSeconds = 60;

int open_or_throw(const std::string& path, int flags) {
    const int file = ::open(path.c_str(), flags, 0600);
    if (file < 0) throw IoError(path, "cannot be opened", errno);
    return file;
}

}  // namespace

Launcher::Launcher(std::string program, std::string library, const std::string& room)
    : program_(std::move(program)),
      library_(std::move(library)),
      page_file_(room + "page"),
      error_file_(room + "said") {
    const int file = open_or_throw(page_file_, O_RDWR | O_CREAT | O_TRUNC);
    void* page = MAP_FAILED;
    if (::ftruncate(file, sizeof(Page)) == 0)
        page = ::mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file);
    if (page == MAP_FAILED) throw IoError(page_file_, "cannot be mapped", errno);
    page_ = static_cast<Page*>(page);
}

Launcher::~Launcher() {
    ::munmap(page_, sizeof(Page));
}

void Launcher::become(const Command& command, const std::string& folder) const {
    std::vector<char*> arguments;
    std::string program = program_;
    Command rest = command;
    arguments.push_back(program.data());
    for (std::string& each : rest) arguments.push_back(each.data());
    arguments.push_back(nullptr);
    ::setenv("LD_PRELOAD", library_.c_str(), 1);
    ::setenv(kPageVariable, page_file_.c_str(), 1);
    const int input = ::open("/dev/null", O_RDONLY);
    const int output = ::open("/dev/null", O_WRONLY);
    const int said = ::open(error_file_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(input, STDIN_FILENO);
    ::dup2(output, STDOUT_FILENO);
    ::dup2(said, STDERR_FILENO);
    for (const int each : {input, output, said}) ::close(each);
    ::alarm(kSeconds);
    if (::chdir(folder.c_str()) == 0) ::execv(program_.c_str(), arguments.data());
    ::_exit(98);
}

Ending Launcher::run(const Command& command, const std::string& folder, const Fault& fault) {
    std::memset(static_cast<void*>(page_), 0, sizeof(Page));
    page_->kind = fault.kind;
    page_->mode = fault.mode;
    page_->at = fault.at;
    page_->error = fault.error;
    if (folder.size() >= sizeof page_->folder) throw ConfigError(folder + ": the name is too long");
    std::memcpy(page_->folder, folder.data(), folder.size());
    const pid_t child = ::fork();
    if (child == 0) become(command, folder);
    int status = 0;
    if (child < 0 || ::waitpid(child, &status, 0) != child)
        throw IoError(program_, "cannot be started", errno);
    Ending ending;
    ending.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending.said = read_whole_file(error_file_);
    ending.struck = page_->struck > 0;
    ending.where = std::string(page_->call) + " " + page_->file;
    for (int kind = 0; kind < kKinds; ++kind) ending.calls[kind] = page_->calls[kind];
    return ending;
}

}  // namespace proxstream::faults
