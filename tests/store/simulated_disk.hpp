/// A layer below SQLite that lets calls fail, and knows what a power cut would leave on the disk.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include <sqlite3.h>

namespace proxstream {

/// While it lives, SQLite uses it for every file. Nothing is synchronised for real.
class SimulatedDisk {
  public:
    SimulatedDisk() : real_(sqlite3_vfs_find(nullptr)), vfs_(*real_) {
        vfs_.zName = "simulated-disk";
        vfs_.szOsFile = static_cast<int>(sizeof(OpenFile));
        vfs_.xOpen = open;
        vfs_.xDelete = remove;
        current() = this;
        sqlite3_vfs_register(&vfs_, 1);
    }
    ~SimulatedDisk() {
        sqlite3_vfs_unregister(&vfs_);
        sqlite3_vfs_register(real_, 1);
        current() = nullptr;
    }
    SimulatedDisk(const SimulatedDisk&) = delete;
    SimulatedDisk& operator=(const SimulatedDisk&) = delete;

    /// The k-th call from now on fails, reading too; 0: none.
    void fail_at(std::uint64_t call) { fail_at_ = call == 0 ? 0 : calls_ + call; }
    /// The power is cut before the k-th change from now on: it fails, and so do all that follow.
    void cut_at(std::uint64_t change) { cut_at_ = changes_ + change; }
    void restore_power() { cut_at_ = ~std::uint64_t{0}; }
    std::uint64_t calls() const { return calls_; }
    std::uint64_t changes() const { return changes_; }

    /// Which of the bytes that were written since the last synchronisation reached the disk: sectors drawn at
    /// random, all of them, or none.
    enum class Kept { all, none, some };
    /// Writes what is on the disk of the store `from` after the cut as the store `to`.
    void leave(const std::string& from, const std::string& to, Kept kept, std::mt19937& draw) const {
        for (const char* suffix : {"", "-wal", "-journal"}) {
            const auto file = files_.find(from + suffix);
            if (file == files_.end()) continue;
            if (const auto content = after_cut(file->second, kept, draw))
                std::ofstream(to + suffix, std::ios::binary) << *content;
        }
    }

  private:
    static constexpr std::size_t kSector = 512;
    /// A change that is not synchronised: bytes at a place, or a cut after `place` bytes.
    struct Change {
        std::size_t place;
        std::optional<std::string> bytes;
    };
    struct File {
        std::optional<std::string> synced;  // nothing: the file may not be there after a cut
        std::vector<Change> changes = {};
        std::optional<std::string> removed = {};  // comes back if its removal is lost
    };
    struct OpenFile {
        sqlite3_file base;
        sqlite3_file* real;
        std::string* name;
    };

    static SimulatedDisk*& current() {
        static SimulatedDisk* disk = nullptr;
        return disk;
    }
    static OpenFile& of(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
    static sqlite3_file* real(sqlite3_file* file) { return of(file).real; }
    static File& record(sqlite3_file* file) { return current()->files_[*of(file).name]; }

    bool fails(bool change) {
        ++calls_;
        if (change) ++changes_;
        return calls_ == fail_at_ || changes_ >= cut_at_;
    }

    static std::optional<std::string> after_cut(const File& file, Kept kept, std::mt19937& draw) {
        const auto keeps = [&] { return kept == Kept::all || (kept == Kept::some && draw() % 2 == 0); };
        if (file.removed && !keeps()) return file.removed;
        if (!file.synced && file.changes.empty()) return std::nullopt;
        std::string content = file.synced.value_or("");
        for (const Change& change : file.changes) {
            if (!change.bytes) {
                if (keeps()) content.resize(change.place);
                continue;
            }
            // Sectors are written whole or not at all.
            for (std::size_t at = 0; at < change.bytes->size();) {
                const std::size_t place = change.place + at;
                const std::size_t size = std::min(kSector - place % kSector, change.bytes->size() - at);
                if (keeps()) {
                    content.resize(std::max(content.size(), place + size));
                    content.replace(place, size, *change.bytes, at, size);
                }
                at += size;
            }
        }
        return file.synced || !content.empty() ? std::optional(content) : std::nullopt;
    }

    static int open(sqlite3_vfs* /*vfs*/, sqlite3_filename name, sqlite3_file* file, int flags, int* result) {
        SimulatedDisk& disk = *current();
        file->pMethods = nullptr;
        if (disk.fails((flags & SQLITE_OPEN_CREATE) != 0)) return SQLITE_CANTOPEN;
        auto memory = std::make_unique<std::max_align_t[]>(
            (static_cast<std::size_t>(disk.real_->szOsFile) + sizeof(std::max_align_t)) /
            sizeof(std::max_align_t));
        auto* opened = reinterpret_cast<sqlite3_file*>(memory.get());
        const int status = disk.real_->xOpen(disk.real_, name, opened, flags, result);
        if (status != SQLITE_OK) return status;
        of(file) = {{&methods()}, opened, new std::string(name == nullptr ? "" : name)};
        (void)memory.release();
        return SQLITE_OK;
    }
    static int remove(sqlite3_vfs* /*vfs*/, const char* name, int now) {
        SimulatedDisk& disk = *current();
        if (disk.fails(true)) return SQLITE_IOERR_DELETE;
        const int status = disk.real_->xDelete(disk.real_, name, 0);
        if (status != SQLITE_OK) return status;
        File& file = disk.files_[name];
        file = {.synced = {}, .changes = {}, .removed = now != 0 ? std::nullopt : file.synced};
        return SQLITE_OK;
    }
    static int close(sqlite3_file* file) {
        const int status = real(file)->pMethods->xClose(real(file));
        delete[] reinterpret_cast<std::max_align_t*>(real(file));
        delete of(file).name;
        return status;
    }
    static int read(sqlite3_file* file, void* bytes, int size, sqlite3_int64 place) {
        if (current()->fails(false)) return SQLITE_IOERR_READ;
        return real(file)->pMethods->xRead(real(file), bytes, size, place);
    }
    static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 place) {
        if (current()->fails(true)) return current()->calls_ % 2 == 0 ? SQLITE_FULL : SQLITE_IOERR_WRITE;
        record(file).changes.push_back(
            {static_cast<std::size_t>(place),
             std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size))});
        return real(file)->pMethods->xWrite(real(file), bytes, size, place);
    }
    static int truncate(sqlite3_file* file, sqlite3_int64 size) {
        if (current()->fails(true)) return SQLITE_IOERR_TRUNCATE;
        record(file).changes.push_back({static_cast<std::size_t>(size), std::nullopt});
        return real(file)->pMethods->xTruncate(real(file), size);
    }
    static int sync(sqlite3_file* file, int /*flags*/) {
        if (current()->fails(true)) return SQLITE_IOERR_FSYNC;
        std::mt19937 none;
        File& changed = record(file);
        changed.removed.reset();
        std::string content = after_cut(changed, Kept::all, none).value_or("");
        changed = {.synced = std::move(content)};
        return SQLITE_OK;
    }
    static int map(sqlite3_file* file, int page, int size, int extend, void volatile** memory) {
        if (current()->fails(false)) return SQLITE_IOERR_SHMMAP;
        return real(file)->pMethods->xShmMap(real(file), page, size, extend, memory);
    }

    static const sqlite3_io_methods& methods() {
        using F = sqlite3_file*;
        static const sqlite3_io_methods methods = {
            .iVersion = 3,
            .xClose = close,
            .xRead = read,
            .xWrite = write,
            .xTruncate = truncate,
            .xSync = sync,
            .xFileSize = [](F f, sqlite3_int64* s) { return real(f)->pMethods->xFileSize(real(f), s); },
            .xLock = [](F f, int lock) { return real(f)->pMethods->xLock(real(f), lock); },
            .xUnlock = [](F f, int lock) { return real(f)->pMethods->xUnlock(real(f), lock); },
            .xCheckReservedLock =
                [](F f, int* held) { return real(f)->pMethods->xCheckReservedLock(real(f), held); },
            .xFileControl = [](F f, int what,
                               void* with) { return real(f)->pMethods->xFileControl(real(f), what, with); },
            .xSectorSize = [](F f) { return real(f)->pMethods->xSectorSize(real(f)); },
            .xDeviceCharacteristics = [](F f) { return real(f)->pMethods->xDeviceCharacteristics(real(f)); },
            .xShmMap = map,
            .xShmLock = [](F f, int at, int count,
                           int flags) { return real(f)->pMethods->xShmLock(real(f), at, count, flags); },
            .xShmBarrier = [](F f) { real(f)->pMethods->xShmBarrier(real(f)); },
            .xShmUnmap = [](F f, int remove) { return real(f)->pMethods->xShmUnmap(real(f), remove); },
            .xFetch = [](F f, sqlite3_int64 at, int size,
                         void** bytes) { return real(f)->pMethods->xFetch(real(f), at, size, bytes); },
            .xUnfetch = [](F f, sqlite3_int64 at,
                           void* bytes) { return real(f)->pMethods->xUnfetch(real(f), at, bytes); },
        };
        return methods;
    }

    sqlite3_vfs* real_;
    sqlite3_vfs vfs_;
    std::map<std::string, File> files_;
    std::uint64_t calls_ = 0, changes_ = 0, fail_at_ = 0, cut_at_ = ~std::uint64_t{0};
};

}  // namespace proxstream
