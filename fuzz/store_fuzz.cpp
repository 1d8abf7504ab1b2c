/// Store files with changed bytes: whatever is read is what the run wrote, or the file is refused. The first
/// byte chooses a store, closed or as a kill leaves it with its log, and whether its run is resumed. Every
/// five bytes after it change one byte of the file: three for the place, one that is added with xor, and one
/// for how far the change reaches; a change of nothing cuts the file.
#include "fuzz_support.hpp"
#include "io/output_file.hpp"
#include "run/learn_run.hpp"
#include "store/export.hpp"
#include "store/run_store.hpp"

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <memory>
#include <set>
#include <sstream>
#include <vector>

#include <unistd.h>

using namespace proxstream;

namespace {

const std::string& path() {
    static const std::string kPath =
        (std::filesystem::temp_directory_path() / ("proxstream-store-fuzz-" + std::to_string(::getpid())))
            .string();
    return kPath;
}

struct Image {
    std::string main, log;
};

void put(const Image& image) {
    for (const char* suffix : {"", "-wal", "-shm", "-lock"}) std::remove((path() + suffix).c_str());
    std::ofstream(path(), std::ios::binary) << image.main;
    if (!image.log.empty()) std::ofstream(path() + "-wal", std::ios::binary) << image.log;
}

LearnSettings settings() {
    LearnSettings settings;
    settings.data = {"builtin:drift,features=2,rows=30"};
    settings.window = "3";
    settings.step = "0.1";
    settings.store = path();
    settings.durable = "5";
    settings.keep = "all";
    settings.quiet = true;
    return settings;
}

/// What a store says of one thing, and whether it was said to the end.
struct Part {
    std::string text = {};
    bool whole = false;
};
constexpr std::size_t kParts = 6;
using Parts = std::array<Part, kParts>;

template <class Read>
Part part_of(const Read& read) {
    Part part;
    std::ostringstream text;
    text << std::setprecision(17);
    try {
        read(text);
        part.whole = true;
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    part.text = text.str();
    return part;
}

void write_exported(const RunStore& store, const char* what, const char* format, std::ostream& text) {
    export_run(store, {.what = what, .format = format}, [&](std::string_view bytes) { text << bytes; });
}

void write_series(const RunStore& store, std::ostream& text) {
    const Series series = store.series();
    for (Index bucket = 0; bucket < series.buckets(); ++bucket)
        for (Index channel = 0; channel < series.channels(); ++channel)
            text << series.first(bucket) << ' ' << series.last(bucket) << ' ' << series.known(bucket, channel)
                 << ' ' << series.mean(bucket, channel) << '\n';
}

Parts parts_of(const RunStore& store) {
    return {part_of([&](std::ostream& text) { write_exported(store, "ledger", "jsonl", text); }),
            part_of([&](std::ostream& text) { write_exported(store, "figures", "csv", text); }),
            part_of([&](std::ostream& text) { write_exported(store, "decisions", "jsonl", text); }),
            part_of([&](std::ostream& text) {
                for (const Certificate& each : store.certify()) text << to_json(each);
            }),
            part_of([&](std::ostream& text) { write_series(store, text); }),
            part_of([&](std::ostream& text) {
                const RunIdentity& identity = store.identity();
                text << identity.kind << identity.id << store.certificate() << store.report();
            })};
}

/// The figures that do not depend on the clock.
std::string timeless_figures(const RunStore& store) {
    std::ostringstream text;
    text << std::setprecision(17);
    const std::vector<std::string> channels = store.identity().channels;
    store.turns(1, kAllTurns, [&](const StoredTurn& turn) {
        text << turn.turn << turn.decision;
        for (Index i = 0; i < turn.figures.size(); ++i)
            if (channels[i] != "seconds") text << ' ' << turn.figures[i];
        return true;
    });
    return text.str();
}

/// A store of a run, and all it may say: what the run had written at any of its commits.
class Written {
  public:
    explicit Written(bool killed) {
        LearnRun run(settings());
        put({});
        std::remove(path().c_str());
        {
            RunDriver driver(run);
            driver.begin(path());
            for (int turn = 0; turn < (killed ? 22 : 30); ++turn) driver.turn();
            if (killed) {
                image_ = {read_whole_file(path()), read_whole_file(path() + "-wal")};
            } else {
                driver.drive();
            }
        }
        if (!killed) image_ = {read_whole_file(path()), ""};
        constexpr std::size_t kLogHead = 32;
        constexpr std::size_t kFrame = 4096 + 24;
        for (std::size_t size = kLogHead; size < image_.log.size(); size += kFrame)
            allow({image_.main, image_.log.substr(0, size)});
        allow(image_);
    }

    const Image& image() const { return image_; }
    /// `whole`: no damage was found.
    void check(const Parts& parts, bool whole) const {
        for (std::size_t k = 0; k < kParts; ++k) {
            if (parts[k].whole || whole) {
                fuzz::require(allowed_[k].contains(parts[k].text));
                continue;
            }
            // An export that broke off has written a beginning.
            const auto after = allowed_[k].lower_bound(parts[k].text);
            fuzz::require(after != allowed_[k].end() && after->starts_with(parts[k].text));
        }
    }

  private:
    void allow(const Image& image) {
        put(image);
        try {
            const RunStore store(path());
            if (!store.verify().empty()) return;
            const Parts parts = parts_of(store);
            for (std::size_t k = 0; k < kParts; ++k) allowed_[k].insert(parts[k].text);
        } catch (const Error&) {
            return;  // before the first commit
        }
    }

    Image image_;
    std::array<std::set<std::string>, kParts> allowed_;
};

Image changed(const Image& image, fuzz::Choices& choices) {
    Image out = image;
    const std::size_t size = image.main.size() + image.log.size();
    while (!choices.rest().empty()) {
        const std::size_t high = choices.byte();
        const std::size_t middle = choices.byte();
        std::size_t at = (high << 16U | middle << 8U | choices.byte()) % size;
        const std::uint8_t change = choices.byte();
        const std::size_t reach = 1U + choices.byte() % 8;
        std::string& part = at < image.main.size() ? out.main : out.log;
        if (at >= image.main.size()) at -= image.main.size();
        if (at >= part.size()) continue;
        if (change == 0) part.resize(at);
        for (std::size_t k = at; k < std::min(at + reach, part.size()); ++k)
            part[k] = static_cast<char>(part[k] ^ change);
    }
    return out;
}

/// The whole run again, or a refusal.
void resume(const std::string& figures) {
    try {
        LearnSettings all = settings();
        LearnRun run(all);
        {
            RunDriver driver(run);
            driver.begin(Journal::open(path(), run.journal_options()));
            driver.drive();
        }
        const RunStore store(path());
        if (run.outcome().problems.empty() && store.verify().empty())
            fuzz::require(timeless_figures(store) == figures);
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const Written kClosed(false);
    static const std::string kFigures = [] {
        put(kClosed.image());
        return timeless_figures(RunStore(path()));
    }();
    static const Written kKilled(true);
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    const Written& written = (choice & 1U) != 0 ? kKilled : kClosed;
    put(changed(written.image(), choices));
    try {
        const RunStore store(path());
        const Parts parts = parts_of(store);
        written.check(parts, store.verify().empty());
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
    if ((choice & 6U) == 6) resume(kFigures);
    return 0;
}
