#include "traffic/path_file.hpp"

#include "io/describe_text.hpp"
#include "io/line_reader.hpp"
#include "traffic/path_words.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

class PathFileReader {
  public:
    PathFileReader(const Input& input, const Network& network, std::span<const Pair> pairs, OtherPairs others)
        : lines_(input.open()),
          network_(network),
          walk_(network),
          pairs_(pairs),
          others_(others),
          last_(pairs.size(), kNone) {}

    PathLists read() {
        std::string_view line;
        while (lines_.next(line)) read_line(line);
        PathLists lists;
        std::vector<Index> chain;
        for (Index pair = 0; pair < pairs_.size(); ++pair) {
            chain.clear();
            for (Index i = last_[pair]; i != kNone; i = given_[i].before) chain.push_back(i);
            for (auto i = chain.rbegin(); i != chain.rend(); ++i) lists.add_path(links_of(given_[*i]));
            lists.end_pair();
        }
        return lists;
    }

  private:
    static constexpr Index kNone = std::numeric_limits<Index>::max();
    struct Given {
        Index first = 0, end = 0;  // of its links
        Index before = kNone;      // the path of the same pair that was given before it
        std::uint64_t line = 0;
    };
    using Words = std::span<const PathWord>;

    std::span<const LinkIndex> links_of(const Given& path) const {
        return {links_.data() + path.first, links_.data() + path.end};
    }
    [[noreturn]] void fail(const PathWord& at, const std::string& problem,
                           const std::string& expected) const {
        throw DataError({lines_.name(), lines_.line(), at.column, at.text}, problem, expected);
    }
    std::string pair_name(const Pair& pair) const {
        return path_file_name(network_.node_name(pair.origin)) + " " +
               path_file_name(network_.node_name(pair.destination));
    }

    void read_line(std::string_view line) {
        if (!split_path_line(line, words_))
            throw DataError({lines_.name(), lines_.line(), 0, {}}, "a quote is not closed",
                            "quotes around the whole of a name");
        if (words_.empty()) return;
        Words rest = words_;
        const auto colon =
            std::find_if(rest.begin(), rest.end(), [](const PathWord& w) { return w.mark == ':'; });
        std::optional<Pair> pair;
        if (colon != rest.end()) {
            const auto head = static_cast<Index>(colon - rest.begin());
            pair = read_pair(rest.first(head), *colon);
            rest = rest.subspan(head + 1);
        }
        for (bool more = true; more;) {
            const auto comma =
                std::find_if(rest.begin(), rest.end(), [](const PathWord& w) { return w.mark != 0; });
            more = comma != rest.end();
            if (more && comma->mark == ':') fail(*comma, "a second colon", "one pair a line");
            const auto size = static_cast<Index>(comma - rest.begin());
            read_path(pair, rest.first(size));
            rest = rest.subspan(more ? size + 1 : size);
        }
    }

    Pair read_pair(Words head, const PathWord& colon) const {
        const bool comma = head.size() == 3 && head[1].mark == ',';
        if ((head.size() != 2 && !comma) || head.front().mark != 0 || head.back().mark != 0)
            fail(head.empty() ? colon : head.front(), "no pair stands before the colon",
                 "ORIGIN DESTINATION: and then paths");
        const Pair pair = {node(head.front()), node(head.back())};
        if (pair.origin == pair.destination)
            fail(head.back(), "origin and destination are one node", "two different nodes");
        return pair;
    }
    NodeIndex node(const PathWord& word) const {
        try {
            return walk_.node(word);
        } catch (const BadWord& bad) {
            fail(word, bad.problem, bad.expected);
        }
    }

    void read_path(const std::optional<Pair>& pair, Words words) {
        if (words.empty()) fail(words_.back(), "a path is empty", "nodes or links of the network");
        walk_.begin();
        for (const PathWord& word : words) {
            try {
                walk_.take(word);
            } catch (const BadWord& bad) {
                fail(word, bad.problem, bad.expected);
            }
        }
        if (walk_.links().empty()) fail(words.front(), "the path has no link", "at least two nodes");
        const Pair ends = {walk_.first(), walk_.last()};
        if (pair && ends.origin != pair->origin)
            fail(words.front(), fmt::format("the path starts at {}", network_.node_name(ends.origin)),
                 fmt::format("the pair's origin, {}", network_.node_name(pair->origin)));
        if (pair && ends.destination != pair->destination)
            fail(words.back(), fmt::format("the path ends at {}", network_.node_name(ends.destination)),
                 fmt::format("the pair's destination, {}", network_.node_name(pair->destination)));
        const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), ends);
        if (found == pairs_.end() || *found != ends) {
            if (others_ == OtherPairs::skip) return;
            fail(words.front(), fmt::format("there is no demand for the pair {}", pair_name(ends)),
                 "paths of pairs with demand");
        }
        add(static_cast<Index>(found - pairs_.begin()), words.front());
    }

    void add(Index pair, const PathWord& at) {
        for (Index i = last_[pair]; i != kNone; i = given_[i].before) {
            if (std::ranges::equal(links_of(given_[i]), walk_.links()))
                fail(at, fmt::format("the path was given before, in line {}", given_[i].line),
                     "every path once");
        }
        const Index first = links_.size();
        links_.insert(links_.end(), walk_.links().begin(), walk_.links().end());
        given_.push_back({first, links_.size(), last_[pair], lines_.line()});
        last_[pair] = given_.size() - 1;
    }

    LineReader lines_;
    const Network& network_;
    PathWalk walk_;
    std::span<const Pair> pairs_;
    OtherPairs others_;
    std::vector<PathWord> words_;
    std::vector<LinkIndex> links_;
    std::vector<Given> given_;
    std::vector<Index> last_;  // the last given path of each pair
};

/// #2 for the second of parallel links; nothing for a link that has none beside it.
std::string copy_mark(const Network& network, LinkIndex index) {
    Index links = 0, copy = 0;
    for (const LinkIndex other : network.leaving(network.link(index).from)) {
        if (network.link(other).to != network.link(index).to) continue;
        ++links;
        if (other == index) copy = links;
    }
    return links > 1 ? fmt::format("#{}", copy) : std::string();
}

}  // namespace

PathLists read_path_file(const Input& input, const Network& network, std::span<const Pair> pairs,
                         OtherPairs others) {
    return PathFileReader(input, network, pairs, others).read();
}

void write_path_file(OutputFile& file, const Network& network, const PathSet& paths) {
    std::string line;
    for (Index i = 0; i < paths.pairs(); ++i) {
        const std::string origin = path_file_name(network.node_name(paths.pair(i).origin));
        const std::string destination = path_file_name(network.node_name(paths.pair(i).destination));
        for (SlotIndex slot = paths.first_slot(i); slot < paths.end_slot(i); ++slot) {
            if (!paths.live(slot)) continue;
            const std::vector<LinkIndex> links = paths.links(slot);
            if (links.empty()) continue;
            line = fmt::format("{} {}: {}", origin, destination, origin);
            for (const LinkIndex link : links) {
                line += " " + path_file_name(network.node_name(network.link(link).to));
                line += copy_mark(network, link);
            }
            line += '\n';
            file.write(line);
        }
    }
}

}  // namespace proxstream
