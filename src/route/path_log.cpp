#include "route/path_log.hpp"

#include "route/route_tables.hpp"

namespace proxstream {
namespace {

/// Of the links of a path, never 0. Two paths of a slot share one by a chance of 2^-64.
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

PathLog::PathLog(const std::string& file, const Network& network)
    : file_(file, route_tables::kPaths.columns), network_(network) {}

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
    file_.flush();
}

void PathLog::exchange(Checkpoint& checkpoint) {
    std::vector<std::uint64_t> prints;
    std::vector<std::uint64_t> numbers;
    for (const Slot& slot : slots_) {
        prints.push_back(slot.print);
        numbers.push_back(slot.path);
    }
    checkpoint.list("prints", prints);
    checkpoint.list("paths", numbers);
    checkpoint.require(prints.size() == numbers.size(), "a number for every print");
    slots_.resize(prints.size());
    for (Index i = 0; i < slots_.size(); ++i) slots_[i] = {prints[i], numbers[i]};
    checkpoint.exchange("count", count_);
    checkpoint.exchange("epoch", epoch_);
}

void PathLog::write(const PathSet& paths, SlotIndex slot, Index pair, bool live) {
    const Pair& ends = paths.pair(pair);
    file_.integer(slots_[slot].path).integer(slot).integer(pair);
    file_.text(network_.node_name(ends.origin)).text(network_.node_name(ends.destination));
    file_.integer(epoch_).text(live ? "live" : "gone");
    std::string links;
    std::string nodes;
    if (live) {
        for (const LinkIndex link : paths.links(slot)) {
            links += (links.empty() ? "" : " ") + std::to_string(link);
            if (nodes.empty()) nodes = network_.node_name(ends.origin);
            nodes += " > " + network_.node_name(network_.link(link).to);
        }
    }
    file_.text(links).text(nodes);
    file_.end_row();
}

}  // namespace proxstream
