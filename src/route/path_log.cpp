#include "route/path_log.hpp"

#include "route/route_tables.hpp"

#include <utility>

namespace proxstream {
namespace {

/// A hash of the links of a path, never 0; 0 for an empty slot.
std::uint64_t fingerprint(const PathSet& paths, SlotIndex slot) {
    if (!paths.live(slot)) return 0;
    std::uint64_t print = 0x9E3779B97F4A7C15U;
    paths.for_each_link(slot, [&](LinkIndex link) {
        print = (print ^ link) * 0xBF58476D1CE4E5B9U;
        print ^= print >> 29U;
    });
    return print == 0 ? 1 : print;
}

}  // namespace

void PathLog::open(OutputFile file) {
    file_.emplace(std::move(file), route_tables::kPaths.columns);
}

void PathLog::follow(const PathSet& paths) {
    bool changed = false;
    slots_.resize(paths.slots());
    for (Index pair = 0; pair < paths.pairs(); ++pair) {
        for (SlotIndex slot = paths.first_slot(pair); slot < paths.end_slot(pair); ++slot) {
            const std::uint64_t print = fingerprint(paths, slot);
            Slot& known = slots_[slot];
            if (print == known.print) continue;
            if (!changed) ++epoch_;
            changed = true;
            if (known.print != 0) write(paths, slot, pair, false);
            known.print = print;
            if (print == 0) continue;
            known.path = count_++;
            write(paths, slot, pair, true);
        }
    }
    file_->flush();
}

void PathLog::serialise(StateArchive& archive) {
    std::vector<std::uint64_t> prints;
    std::vector<std::uint64_t> numbers;
    for (const Slot& slot : slots_) {
        prints.push_back(slot.print);
        numbers.push_back(slot.path);
    }
    archive.fields(Field{"prints", prints}, Field{"paths", numbers});
    archive.require(prints.size() == numbers.size(), "a number for every print");
    slots_.resize(prints.size());
    for (Index i = 0; i < slots_.size(); ++i) slots_[i] = {prints[i], numbers[i]};
    archive.fields(Field{"count", count_}, Field{"epoch", epoch_});
}

void PathLog::write(const PathSet& paths, SlotIndex slot, Index pair, bool live) {
    const Pair& ends = paths.pair(pair);
    const std::string& origin = network_.node_name(ends.origin);
    std::string links;
    std::string nodes;
    if (live) {
        for (const LinkIndex link : paths.links(slot)) {
            links += (links.empty() ? "" : " ") + std::to_string(link);
            nodes += (nodes.empty() ? origin : "") + " > " + network_.node_name(network_.link(link).to);
        }
    }
    file_->row(slots_[slot].path, slot, pair, origin, network_.node_name(ends.destination), epoch_,
               live ? "live" : "gone", links, nodes);
}

}  // namespace proxstream
