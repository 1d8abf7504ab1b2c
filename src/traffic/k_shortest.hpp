/// Paths for pairs: the k shortest of each, or k with few common links.
#pragma once

#include "traffic/path_set.hpp"

#include <span>
#include <vector>

namespace proxstream {

/// Paths of many pairs, one after the other in flat arrays.
class PathLists {
  public:
    Index pairs() const noexcept { return first_.size() - 1; }
    Index paths() const noexcept { return begin_.size() - 1; }
    /// Those of a pair: [first_path, end_path).
    Index first_path(Index pair) const { return first_[pair]; }
    Index end_path(Index pair) const { return first_[pair + 1]; }
    std::span<const LinkIndex> links(Index path) const {
        return {links_.data() + begin_[path], links_.data() + begin_[path + 1]};
    }

    void add_path(std::span<const LinkIndex> links) {
        links_.insert(links_.end(), links.begin(), links.end());
        begin_.push_back(links_.size());
    }
    /// The paths added since the last call belong to the next pair.
    void end_pair() { first_.push_back(paths()); }

  private:
    std::vector<LinkIndex> links_;
    std::vector<Index> begin_ = {0};
    std::vector<Index> first_ = {0};
};

/// The k loop-free paths of least cost for each pair, cheapest first; fewer if there are no more. Costs of
/// links are at least 0; infinite: closed. Exact: no other path is cheaper than one that is returned. Paths
/// along different parallel links are different paths. The result does not depend on the number of threads.
PathLists k_shortest(const Network& network, std::span<const Pair> pairs, ConstView costs, Index k);

/// Up to k paths for each pair with few common links, the cheapest first; the k shortest often differ only by
/// a block. After each path, the costs of its links are multiplied by 1 + `dearer`, and the next path is the
/// cheapest under these costs. Stops after 2 k searches, or after three in a row without a new path.
PathLists diverse_paths(const Network& network, std::span<const Pair> pairs, ConstView costs, Index k,
                        Real dearer);

inline constexpr Index kMostPaths = 1000;

struct PathOptions {
    Index k = 4;         // paths a pair, from 1 to kMostPaths
    Index spare = 0;     // empty slots a pair, for paths found later
    bool slack = false;  // one more slot a pair, the last: the empty path
    bool diverse = false;
    Real dearer = 0.5;  // for diverse
};

struct MadePaths {
    PathSet paths;
    std::vector<Index> unreachable;  // pairs without a path, ascending
};

/// Pairs ascend. Throws ConfigError.
MadePaths make_paths(const Network& network, std::vector<Pair> pairs, const PathOptions& options,
                     ConstView costs);

/// The same for given paths. Every pair gets as many slots as it has paths, at least one, then the spare
/// ones, then the slack.
MadePaths fill_paths(const Network& network, std::vector<Pair> pairs, const PathLists& lists,
                     const PathOptions& options);

}  // namespace proxstream
