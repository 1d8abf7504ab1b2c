/// The words of a path file: how a line is cut, and which links a word stands for.
#pragma once

#include "proxstream/traffic/network.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace proxstream {

struct PathWord {
    std::string text = {};
    std::string suffix = {};   // what stands behind the quotes of a quoted name
    bool quoted = false;       // `text` is the name of a node, whatever is in it
    char mark = 0;             // ':' or ',', which are words of their own
    std::uint64_t column = 0;  // which word of the line, marks not counted; from 1
};

/// False when a quote is not closed.
bool split_path_line(std::string_view line, std::vector<PathWord>& words);

/// A node's name as a path file writes it: in quotes where it would be read as something else without.
std::string path_file_name(const std::string& name);

/// A word that does not say where a path goes on.
struct BadWord {
    std::string problem;
    std::string expected;
};

/// Follows words from node to node. Throws BadWord.
class PathWalk {
  public:
    explicit PathWalk(const Network& network);

    void begin() {
        links_.clear();
        nodes_.clear();
    }
    void take(const PathWord& word);
    /// The links so far, and the nodes at both ends; there is at least one word.
    const std::vector<LinkIndex>& links() const noexcept { return links_; }
    NodeIndex first() const { return nodes_.front(); }
    NodeIndex last() const { return nodes_.back(); }

    /// A word that can only be a node.
    NodeIndex node(const PathWord& word) const;

  private:
    /// A node, and which of the parallel links to it is meant; 0: it is the only one.
    struct Hop {
        NodeIndex node = 0;
        Index copy = 0;
    };
    std::optional<Hop> find_hop(std::string_view text) const;
    bool cut_at_dashes(std::string_view text, std::vector<Hop>& hops, std::vector<bool>& hopeless) const;
    void go(const Hop& hop);
    void follow(LinkIndex link);
    void arrive(NodeIndex node);

    const Network& network_;
    std::unordered_map<std::string, std::vector<LinkIndex>> by_name_;
    std::vector<LinkIndex> links_;
    std::vector<NodeIndex> nodes_;
    std::vector<Hop> hops_;
};

}  // namespace proxstream
