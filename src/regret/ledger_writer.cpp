#include "regret/ledger_writer.hpp"

#include "proxstream/core/error.hpp"

#include "digest_chain.hpp"
#include "ledger_format.hpp"

#include <cerrno>
#include <fstream>
#include <utility>

namespace proxstream {
namespace {

/// Whether the bytes before the mark are still those it was made on.
bool still_there(const std::string& path, const LedgerMark& mark) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw IoError(path, "the ledger cannot be opened", errno);
    DigestChain chain;
    std::uint64_t bytes = 0;
    std::string line;
    const std::size_t tail = kRowDigits + kSealClose.size() - 1;  // the newline is cut off
    while (bytes < mark.bytes && std::getline(file, line)) {
        if (line.size() < tail) return false;
        bytes += line.size() + 1;
        const std::string_view text = line;
        if (chain.seal(text.substr(0, text.size() - tail), kRowDigits) !=
            text.substr(text.size() - tail, kRowDigits))
            return false;
    }
    return bytes == mark.bytes && chain.state() == mark.digest;
}

OutputFile open_after(const std::string& path, const LedgerMark& mark) {
    if (!still_there(path, mark))
        throw DataError({path, mark.lines, 0, ""}, "the ledger has changed since it was read", "");
    return OutputFile::continue_after(path, mark.bytes);
}

}  // namespace

LedgerWriter::LedgerWriter(const std::string& path, const RunHeader& header, Index flush_every)
    : LedgerWriter(OutputFile(path), header, {}, flush_every) {}

LedgerWriter::LedgerWriter(OutputFile file, const RunHeader& header, const LedgerMark& mark,
                           Index flush_every)
    : lines_(file.end().bytes > 0 ? LedgerLines(file.path(), header, mark)
                                  : LedgerLines(file.path(), header)),
      file_(std::move(file)),
      flush_every_(flush_every) {
    if (file_.end().bytes > 0) return;
    lines_.append_header(buffer_);
    flush();
}

LedgerWriter::LedgerWriter(const std::string& path, const RunHeader& header, const LedgerMark& mark,
                           Index flush_every)
    : LedgerWriter(open_after(path, mark), header, mark, flush_every) {}

LedgerWriter::LedgerWriter(LedgerWriter&& other) noexcept
    : lines_(std::move(other.lines_)),
      file_(std::move(other.file_)),
      flush_every_(other.flush_every_),
      pending_(other.pending_),
      open_(std::exchange(other.open_, false)),
      failure_(other.failure_),
      buffer_(std::move(other.buffer_)) {}

LedgerWriter::~LedgerWriter() {
    try {
        flush();
    } catch (const IoError&) {
        // The missing footer says that the run was not recorded to its end.
    }
}

void LedgerWriter::require_open() const {
    if (failure_ != 0) throw IoError(file_.path(), "cannot be written", failure_);
    if (!open_) throw Error(file_.path() + ": the ledger is closed");
}

/// After a failure the file may end anywhere, so nothing more is written to it.
void LedgerWriter::guarded(const std::function<void()>& write) {
    open_ = false;
    try {
        write();
    } catch (const IoError& error) {
        failure_ = error.error_number();
        throw;
    }
}

void LedgerWriter::write(const RoundReport& report, const RowExtras& extras) {
    require_open();
    lines_.append_row(buffer_, report, extras);
    if (++pending_ >= flush_every_) flush();
}

void LedgerWriter::flush() {
    if (!open_) return;
    guarded([&] {
        file_.write(buffer_);
        file_.flush();
    });
    open_ = true;
    buffer_.clear();
    pending_ = 0;
}

void LedgerWriter::mark(OutputMarks& marks) {
    require_open();
    flush();
    guarded([&] { file_.mark(marks); });
    open_ = true;
}

void LedgerWriter::finish(const RunFooter& footer) {
    require_open();
    lines_.append_footer(buffer_, footer);
    flush();
    guarded([&] { file_.close(); });
}

}  // namespace proxstream
