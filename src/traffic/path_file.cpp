#include "traffic/path_file.hpp"

#include "io/field_text.hpp"
#include "io/line_reader.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

struct PathWord {
    std::string text = {};
    std::uint64_t column = 0;  // number of the word in the line, from 1
    bool quoted = false;       // `text` is the name of a node, without its quotes
    std::string copy = {};     // text after the closing quote: empty, or #2
};
using PathWords = std::vector<PathWord>;

class PathFileReader {
  public:
    PathFileReader(const Input& input, const Network& network, std::span<const Pair> pairs)
        : lines_(input.open()), network_(network), pairs_(pairs), paths_(pairs.size()) {}

    PathLists read() {
        std::string_view line;
        while (lines_.next(line)) read_line(line);
        if (!any_)
            throw DamagedFile({lines_.name(), 0, 0, ""}, "there is no path in the file", "a path a line");
        PathLists lists;
        for (const std::vector<Path>& of_pair : paths_) {
            for (const Path& path : of_pair) lists.add_path(path.links);
            lists.end_pair();
        }
        return lists;
    }

  private:
    struct Path {
        std::vector<LinkIndex> links;
        std::uint64_t line = 0;
    };

    [[noreturn]] void fail(const PathWord& at, const std::string& problem,
                           const std::string& expected) const {
        throw DataError(lines_.here(at.text, at.column), problem, expected);
    }
    const std::string& name(NodeIndex node) const { return network_.node_name(node); }

    /// Cuts a line into lists of words, each of them a path. The part before a colon goes to head_.
    void split(std::string_view line) {
        lists_.assign(1, {});
        head_.reset();
        words_ = 0;
        for (std::size_t at = 0; at < line.size() && line[at] != '#';) {
            const char c = line[at];
            if (c == ' ' || c == '\t') {
                ++at;
            } else if (c == ',') {
                lists_.emplace_back();
                ++at;
            } else if (c == ':') {
                if (head_) fail({.column = words_}, "a second colon", "one pair a line");
                head_ = std::exchange(lists_, {PathWords{}});
                ++at;
            } else {
                at = take_word(line, at, lists_.back().emplace_back());
            }
        }
    }

    /// Returns the position after the word.
    std::size_t take_word(std::string_view line, std::size_t at, PathWord& word) {
        word.column = ++words_;
        word.quoted = line[at] == '"';
        if (word.quoted) at = take_quoted(line, at + 1, word.text);
        const std::size_t end = std::min(line.find_first_of(" \t:,", at), line.size());
        (word.quoted ? word.copy : word.text) = line.substr(at, end - at);
        return end;
    }

    /// Reads from after the opening quote to after the closing one. A quote in a name is doubled.
    std::size_t take_quoted(std::string_view line, std::size_t at, std::string& text) const {
        for (; at < line.size(); ++at) {
            if (line[at] == '"') {
                ++at;
                if (at == line.size() || line[at] != '"') return at;
            }
            text += line[at];
        }
        fail({}, "a quote is not closed", "quotes around the whole of a name");
    }

    void read_line(std::string_view line) {
        split(line);
        if (!head_ && lists_.size() == 1 && lists_.front().empty()) return;
        any_ = true;
        std::optional<Pair> pair;
        if (head_) pair = read_pair();
        for (const PathWords& words : lists_) read_path(pair, words);
    }

    /// "A D:" or "A,D:".
    Pair read_pair() const {
        PathWords ends;
        for (const PathWords& list : *head_) ends.insert(ends.end(), list.begin(), list.end());
        if (ends.size() != 2 || head_->size() > 2 || head_->front().empty() || head_->back().empty())
            fail(ends.empty() ? PathWord{} : ends.front(), "no pair stands before the colon",
                 "ORIGIN DESTINATION: and then paths");
        const Pair pair = {node(ends[0], ends[0].text), node(ends[1], ends[1].text)};
        if (pair.origin == pair.destination)
            fail(ends[1], "origin and destination are one node", "two different nodes");
        return pair;
    }

    NodeIndex node(const PathWord& word, std::string_view text) const {
        if (const auto found = network_.find_node(text)) return *found;
        fail(word, fmt::format("there is no node {}", quoted_excerpt(text)), "nodes of the network");
    }

    void read_path(const std::optional<Pair>& pair, const PathWords& words) {
        if (words.empty()) fail({.column = words_}, "a path is empty", "nodes of the network");
        nodes_.clear();
        links_.clear();
        for (const PathWord& word : words) read_word(word);
        if (links_.empty()) fail(words.front(), "the path has no link", "at least two nodes");
        const Pair ends = {nodes_.front(), nodes_.back()};
        if (pair && ends.origin != pair->origin)
            fail(words.front(), fmt::format("the path starts at {}", name(ends.origin)),
                 fmt::format("the pair's origin, {}", name(pair->origin)));
        if (pair && ends.destination != pair->destination)
            fail(words.back(), fmt::format("the path ends at {}", name(ends.destination)),
                 fmt::format("the pair's destination, {}", name(pair->destination)));
        const auto found = std::lower_bound(pairs_.begin(), pairs_.end(), ends);
        if (found == pairs_.end() || *found != ends) return;
        std::vector<Path>& given = paths_[static_cast<Index>(found - pairs_.begin())];
        for (const Path& before : given) {
            if (before.links == links_)
                fail(words.front(), fmt::format("the path was given before, in line {}", before.line),
                     "every path once");
        }
        given.push_back({links_, lines_.line()});
    }

    /// A quoted name, the name of a node, or nodes joined by dashes.
    void read_word(const PathWord& word) {
        if (word.quoted) return go(word, node(word, word.text), word.copy);
        for (std::string_view rest = word.text;;) {
            const auto whole = network_.find_node(word.text);
            const auto dash = whole ? std::string_view::npos : rest.find('-');
            const std::string_view hop = rest.substr(0, dash);
            const auto mark = network_.find_node(hop) ? hop.size() : std::min(hop.rfind('#'), hop.size());
            go(word, node(word, hop.substr(0, mark)), hop.substr(mark));
            if (dash == std::string_view::npos) return;
            rest.remove_prefix(dash + 1);
        }
    }

    /// Appends a node and the link to it; `copy` is empty or the number of the parallel link, as #2.
    void go(const PathWord& word, NodeIndex to, std::string_view copy) {
        if (std::find(nodes_.begin(), nodes_.end(), to) != nodes_.end())
            fail(word, fmt::format("the path comes to node {} twice", name(to)), "a path without loops");
        if (nodes_.size() > 1 && !network_.passable(nodes_.back()))
            fail(word,
                 fmt::format("the path leads through node {}, where traffic may only start and end",
                             name(nodes_.back())),
                 "a path around it");
        const auto number = copy.starts_with('#') ? parse_count(copy.substr(1)) : std::nullopt;
        if (!copy.empty() && number.value_or(0) == 0)
            fail(word, fmt::format("{} follows a name", quoted_excerpt(copy)),
                 "a blank, or #2 for the second of parallel links");
        if (!nodes_.empty()) links_.push_back(link(word, to, number.value_or(0)));
        nodes_.push_back(to);
    }

    /// `copy` 0: the only link from the last node.
    LinkIndex link(const PathWord& word, NodeIndex to, Index copy) const {
        const std::vector<LinkIndex> links = network_.links_between(nodes_.back(), to);
        if (links.empty())
            fail(word, fmt::format("no link leads from {} to {}", name(nodes_.back()), name(to)),
                 "links of the network, one after the other");
        if (copy > links.size() || (copy == 0 && links.size() > 1))
            fail(word,
                 fmt::format("{} from {} to {}", count_of(links.size(), "link"), name(nodes_.back()),
                             name(to)),
                 fmt::format("{0}#1 to {0}#{1}", name(to), links.size()));
        return links[copy == 0 ? 0 : copy - 1];
    }

    LineReader lines_;
    const Network& network_;
    std::span<const Pair> pairs_;
    std::vector<std::vector<Path>> paths_;        // by pair
    std::optional<std::vector<PathWords>> head_;  // the part before the colon
    std::vector<PathWords> lists_;                // the part after it, cut at commas
    std::uint64_t words_ = 0;
    bool any_ = false;              // line with a path
    std::vector<NodeIndex> nodes_;  // of the current path
    std::vector<LinkIndex> links_;
};

}  // namespace

PathLists read_path_file(const Input& input, const Network& network, std::span<const Pair> pairs) {
    return PathFileReader(input, network, pairs).read();
}

}  // namespace proxstream
