/// Path files ("tunnels"): the paths among which splits are chosen, as text.
///
///     # a comment
///     A D: A B D              # a pair, and the nodes of a path
///     A D: A-B-D, A-C-D       # several paths, nodes joined by dashes
///     0,5:0-3-5,0-1-5         # the same without blanks
///     A-C-D                   # without a pair: the ends of the path are the pair
///     A D: A B#2 D            # the second of the parallel links from A to B
///     "New York" D: "New York" D   # quotes around names with blanks, commas, colons, dashes or #
///
/// A word without quotes that equals the name of a node means that node, even if it contains dashes.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include "traffic/k_shortest.hpp"

namespace proxstream {

/// Paths of each of `pairs`, which ascend, in the order of the file. Pairs may have no path; paths of other
/// pairs are skipped. Throws DataError for an unknown node, a link that is missing or ambiguous, a node that
/// is repeated or barred, ends that differ from the pair, and a repeated path.
PathLists read_path_file(const Input& input, const Network& network, std::span<const Pair> pairs);

}  // namespace proxstream
