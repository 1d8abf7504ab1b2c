/// Path files ("tunnels"): text, the paths that splits are chosen among.
///
///     # pair: nodes           comments start a line or stand after a blank
///     A D: A B D              a path along nodes, its pair in front
///     A D: A-B-D, A-C-D       several by commas, nodes joined by dashes
///     0,5:0-3-5,0-1-5         the same, closer
///     A-C-D                   without a pair: the ends are the pair
///     A D: A B#2 D            the second of the parallel links from A to B
///     A D: north-1 B-D        names of links, of their own or FROM-TO
///     "New York" D: ...       quotes around names with blanks, commas, colons or #
///
/// A word is first looked for among nodes, then among links, then taken for names joined by dashes.
#pragma once

#include "proxstream/io/byte_source.hpp"

#include "io/output_file.hpp"
#include "traffic/k_shortest.hpp"

namespace proxstream {

enum class OtherPairs { refuse, skip };

/// Paths of each of `pairs`, which ascend, in the order of the file; pairs may be left without one. Throws
/// DataError for an unknown node, links that are not there or not told apart, a node met twice or barred,
/// ends that are not the pair's, a path given twice, and, unless they are skipped, pairs that are not of
/// `pairs`.
PathLists read_path_file(const Input& input, const Network& network, std::span<const Pair> pairs,
                         OtherPairs others = OtherPairs::refuse);

/// A line a path, `ORIGIN DESTINATION: NODE NODE ..`, which read_path_file reads back. Slack is no path.
void write_path_file(OutputFile& file, const Network& network, const PathSet& paths);

}  // namespace proxstream
