/// The queue of a path search: nodes by the length of the best path so far, which may still decrease.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <limits>
#include <vector>

namespace proxstream {

/// Nodes of equal key leave in the order of their numbers, so the order of insertion has no effect. The heap
/// is binary: arity four and eight were slower, on 933 nodes and on 10,000, and so was a queue that keeps
/// outdated keys.
class NodeHeap {
  public:
    explicit NodeHeap(Index nodes) : places_(nodes, kOut) { entries_.reserve(nodes); }

    bool empty() const noexcept { return entries_.empty(); }
    void clear() {
        for (const Entry& entry : entries_) places_[entry.node] = kOut;
        entries_.clear();
    }
    /// Inserts the node, or lowers its key to `key`.
    void lower(NodeIndex node, Real key) {
        Index place = places_[node];
        if (place == kOut) {
            place = entries_.size();
            entries_.emplace_back();
        }
        rise(place, {key, node});
    }
    NodeIndex pop() {
        const NodeIndex top = entries_.front().node;
        places_[top] = kOut;
        const Entry last = entries_.back();
        entries_.pop_back();
        if (!entries_.empty()) sink(last);
        return top;
    }

  private:
    static constexpr Index kArity = 2;
    static constexpr std::uint32_t kOut = std::numeric_limits<std::uint32_t>::max();
    struct Entry {
        Real key = 0;
        NodeIndex node = 0;
    };
    static bool before(const Entry& a, const Entry& b) noexcept {
        return a.key < b.key || (a.key == b.key && a.node < b.node);
    }
    void put(Index place, const Entry& entry) {
        entries_[place] = entry;
        places_[entry.node] = static_cast<std::uint32_t>(place);
    }
    void rise(Index place, const Entry& entry) {
        while (place > 0) {
            const Index above = (place - 1) / kArity;
            if (!before(entry, entries_[above])) break;
            put(place, entries_[above]);
            place = above;
        }
        put(place, entry);
    }
    void sink(const Entry& entry) {
        const Index size = entries_.size();
        Index place = 0;
        for (Index child = 1; child < size; child = kArity * place + 1) {
            Index best = child;
            for (Index other = child + 1; other < child + kArity && other < size; ++other) {
                if (before(entries_[other], entries_[best])) best = other;
            }
            if (!before(entries_[best], entry)) break;
            put(place, entries_[best]);
            place = best;
        }
        put(place, entry);
    }

    std::vector<Entry> entries_;
    std::vector<std::uint32_t> places_;  // by node: its place among the entries
};

}  // namespace proxstream
