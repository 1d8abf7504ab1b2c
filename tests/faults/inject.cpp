/// A library for LD_PRELOAD that lets the k-th system call or allocation of a program fail, or kills the
/// program there. System calls are trapped by a seccomp filter: those of the C library's own streams and of
/// SQLite too, which replaced functions would not see. Linux on x86-64 with glibc.
#include "fault_page.hpp"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <iterator>

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <ucontext.h>
#include <unistd.h>

/// The only system call instruction that the filter lets through unseen.
extern "C" long proxstream_raw_call(long number, const long* arguments);
extern "C" const char proxstream_after_raw_call[];
asm(R"(
    .text
    .globl proxstream_raw_call
    .hidden proxstream_raw_call
    .hidden proxstream_after_raw_call
    .globl proxstream_after_raw_call
proxstream_raw_call:
    mov %rdi, %rax
    mov %rsi, %r11
    mov 0(%r11), %rdi
    mov 8(%r11), %rsi
    mov 16(%r11), %rdx
    mov 24(%r11), %r10
    mov 32(%r11), %r8
    mov 40(%r11), %r9
    syscall
proxstream_after_raw_call:
    ret
)");

// NOLINTBEGIN(readability-identifier-naming): the names are glibc's
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* old, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}
// NOLINTEND(readability-identifier-naming)

namespace proxstream::faults {
namespace {

Page* g_page = nullptr;
bool g_main_began = false;

/// Where a call has its file, and whether a full disk refuses it.
struct Trapped {
    int number;
    const char* name;
    int descriptor;  // the argument that is a descriptor; -1: none
    int path;        // the argument that is a path; -1: none
    bool grows;
    bool writes;
};

constexpr Trapped kTrapped[] = {
    {SYS_write, "write", 0, -1, true, true},
    {SYS_pwrite64, "pwrite", 0, -1, true, true},
    {SYS_writev, "writev", 0, -1, true, true},
    {SYS_pwritev, "pwritev", 0, -1, true, true},
    {SYS_fallocate, "fallocate", 0, -1, true, false},
    {SYS_open, "open", -1, 0, true, false},
    {SYS_openat, "openat", -1, 1, true, false},
    {SYS_creat, "creat", -1, 0, true, false},
    {SYS_mkdir, "mkdir", -1, 0, true, false},
    {SYS_mkdirat, "mkdirat", -1, 1, true, false},
    {SYS_fsync, "fsync", 0, -1, false, false},
    {SYS_fdatasync, "fdatasync", 0, -1, false, false},
    {SYS_sync_file_range, "sync_file_range", 0, -1, false, false},
    {SYS_ftruncate, "ftruncate", 0, -1, false, false},
    {SYS_truncate, "truncate", -1, 0, false, false},
    {SYS_rename, "rename", -1, 0, false, false},
    {SYS_renameat, "renameat", -1, 1, false, false},
    {SYS_renameat2, "renameat2", -1, 1, false, false},
    {SYS_link, "link", -1, 0, false, false},
    {SYS_unlink, "unlink", -1, 0, false, false},
    {SYS_unlinkat, "unlinkat", -1, 1, false, false},
    {SYS_rmdir, "rmdir", -1, 0, false, false},
    {SYS_fchmod, "fchmod", 0, -1, false, false},
    {SYS_close, "close", 0, -1, false, false},
};

long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
    const long arguments[6] = {a, b, c, d, 0, 0};
    return proxstream_raw_call(number, arguments);
}

void kill_program() {
    raw(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

/// "" unless the call changes a file of the run.
const char* file_of(const Trapped& call, const long* arguments, char* room, std::size_t size) {
    if (call.path >= 0) {
        const bool opens = call.number == SYS_open || call.number == SYS_openat;
        const long flags = opens ? arguments[call.path + 1] : O_WRONLY;
        if ((flags & O_ACCMODE) == O_RDONLY && (flags & (O_CREAT | O_TRUNC)) == 0) return "";
        const char* path = reinterpret_cast<const char*>(arguments[call.path]);
        // A relative path: the bench runs the program in the folder.
        if (path == nullptr || path[0] == '/') return path == nullptr ? "" : path;
        std::size_t length = std::strlen(g_page->folder);
        std::memcpy(room, g_page->folder, length);
        for (const char* next = path; *next != '\0' && length + 1 < size; ++next) room[length++] = *next;
        room[length] = '\0';
        return room;
    }
    const long descriptor = arguments[call.descriptor];
    const long flags = fcntl(static_cast<int>(descriptor), F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) return "";
    char link[32] = "/proc/self/fd/";
    char digits[16];
    int count = 0;
    for (long rest = descriptor; count == 0 || rest > 0; rest /= 10)
        digits[count++] = static_cast<char>('0' + rest % 10);
    std::size_t end = std::strlen(link);
    while (count > 0) link[end++] = digits[--count];
    link[end] = '\0';
    const long length = readlink(link, room, size - 1);
    if (length < 0) return "";
    room[length] = '\0';
    return room;
}

void note(const char* call, const char* file) {
    if (g_page->struck.fetch_add(1) > 0) return;
    std::memcpy(g_page->call, call, std::min(std::strlen(call), sizeof g_page->call - 1));
    std::memcpy(g_page->file, file, std::min(std::strlen(file), sizeof g_page->file - 1));
}

/// Whether this call of the kind meets the fault.
bool met(Kind kind, bool grows) {
    const std::uint64_t number = ++g_page->calls[static_cast<int>(kind)];
    if (g_page->kind != kind || g_page->mode == Mode::none) return false;
    if (g_page->mode != Mode::fail_onward) return number == g_page->at;
    return number >= g_page->at && (grows || g_page->error != ENOSPC);
}

/// Half of the bytes, and what the system says to that.
long write_half(const Trapped& call, const long* arguments) {
    const bool vector = call.number == SYS_writev || call.number == SYS_pwritev;
    if (!vector) {
        const long half = arguments[2] / 2;
        if (half == 0) return 0;
        return raw(call.number, arguments[0], arguments[1], half, arguments[3]);
    }
    const auto* parts = reinterpret_cast<const iovec*>(arguments[1]);
    const long half = static_cast<long>(parts[0].iov_len / 2);
    if (call.number == SYS_writev)
        return raw(SYS_write, arguments[0], reinterpret_cast<long>(parts[0].iov_base), half);
    return raw(SYS_pwrite64, arguments[0], reinterpret_cast<long>(parts[0].iov_base), half, arguments[3]);
}

long with_fault(const Trapped& call, const long* arguments) {
    switch (g_page->mode) {
        case Mode::fail:
        case Mode::fail_onward:
            // Linux closes a file even when it reports an error.
            if (call.number == SYS_close) proxstream_raw_call(call.number, arguments);
            return -static_cast<long>(g_page->error);
        case Mode::kill_before:
            kill_program();
            break;
        case Mode::kill_after:
            proxstream_raw_call(call.number, arguments);
            kill_program();
            break;
        case Mode::torn:
            write_half(call, arguments);
            kill_program();
            break;
        case Mode::brief: {
            const long written = write_half(call, arguments);
            if (written > 0) return written;
            break;
        }
        case Mode::none:
            break;
    }
    return proxstream_raw_call(call.number, arguments);
}

long decide(const Trapped& call, const long* arguments) {
    char room[4096];
    const char* file = file_of(call, arguments, room, sizeof room);
    if (std::strncmp(file, g_page->folder, std::strlen(g_page->folder)) != 0)
        return proxstream_raw_call(call.number, arguments);
    bool hit = met(Kind::files, call.grows);
    if (call.writes && met(Kind::writes, call.grows)) hit = true;
    if (!hit) return proxstream_raw_call(call.number, arguments);
    note(call.name, file);
    return with_fault(call, arguments);
}

void on_trap(int /*signal*/, siginfo_t* info, void* context) {
    const int before = errno;
    greg_t* registers = static_cast<ucontext_t*>(context)->uc_mcontext.gregs;
    const long arguments[6] = {registers[REG_RDI], registers[REG_RSI], registers[REG_RDX],
                               registers[REG_R10], registers[REG_R8],  registers[REG_R9]};
    for (const Trapped& call : kTrapped)
        if (call.number == info->si_syscall) registers[REG_RAX] = decide(call, arguments);
    errno = before;
}

/// Allows everything but the calls of the table, and those too where proxstream_raw_call makes them.
bool set_filter() {
    constexpr std::size_t kHead = 9;
    constexpr std::size_t kCalls = std::size(kTrapped);
    const auto address = reinterpret_cast<std::uint64_t>(&proxstream_after_raw_call);
    constexpr auto kPlace = offsetof(seccomp_data, instruction_pointer);
    sock_filter program[kHead + kCalls + 2] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kPlace),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(address), 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kPlace + 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(address >> 32U), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
    };
    for (std::size_t i = 0; i < kCalls; ++i) {
        program[kHead + i] =
            BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(kTrapped[i].number),
                     static_cast<std::uint8_t>(kCalls - i), 0);
    }
    program[kHead + kCalls] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    program[kHead + kCalls + 1] = BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
    const sock_fprog filter = {static_cast<unsigned short>(std::size(program)), program};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

/// Without a page the library does nothing. Anything else that goes wrong must not look like a run.
[[gnu::constructor]] void begin() {
    const char* name = std::getenv(kPageVariable);
    if (name == nullptr) return;
    const int file = open(name, O_RDWR | O_CLOEXEC);
    void* page =
        file < 0 ? MAP_FAILED : mmap(nullptr, sizeof(Page), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (page == MAP_FAILED) _exit(99);
    close(file);
    g_page = static_cast<Page*>(page);
    struct sigaction action {};
    action.sa_sigaction = on_trap;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    if (sigaction(SIGSYS, &action, nullptr) != 0 || !set_filter()) _exit(99);
}

/// Whether this allocation fails.
bool refused() {
    if (g_page == nullptr || !g_main_began || !met(Kind::memory, true)) return false;
    if (g_page->mode != Mode::fail && g_page->mode != Mode::fail_onward) return false;
    note("allocation", "");
    errno = ENOMEM;
    return true;
}

using Main = int (*)(int, char**, char**);
Main g_main = nullptr;

int main_counted(int count, char** arguments, char** environment) {
    g_main_began = true;
    return g_main(count, arguments, environment);
}

}  // namespace
}  // namespace proxstream::faults

using namespace proxstream::faults;

extern "C" {

void* malloc(std::size_t bytes) {
    return refused() ? nullptr : __libc_malloc(bytes);
}

void* calloc(std::size_t count, std::size_t bytes) {
    return refused() ? nullptr : __libc_calloc(count, bytes);
}

void* realloc(void* old, std::size_t bytes) {
    return refused() ? nullptr : __libc_realloc(old, bytes);
}

void* memalign(std::size_t alignment, std::size_t bytes) {
    return refused() ? nullptr : __libc_memalign(alignment, bytes);
}

void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
    return memalign(alignment, bytes);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t bytes) {
    void* memory = memalign(alignment, bytes);
    if (memory == nullptr) return ENOMEM;
    *result = memory;
    return 0;
}

// NOLINTNEXTLINE: glibc's name and parameters
int __libc_start_main(Main main, int count, char** arguments, void (*init)(), void (*fini)(),
                      void (*rtld_fini)(), void* stack_end) {
    using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
    g_main = main;
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(main_counted, count, arguments, init, fini, rtld_fini, stack_end);
}
}
