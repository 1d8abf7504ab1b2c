/// Directed multigraphs with what is known of each link: roads, or the lines of a wide-area network.
#pragma once

#include "proxstream/core/types.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace proxstream {

using NodeIndex = std::uint32_t;
using LinkIndex = std::uint32_t;

/// A link as its file describes it. What it costs to use it is a matter of LinkCosts.
struct Link {
    NodeIndex from = 0;
    NodeIndex to = 0;
    std::string name = {};  // as the file calls it; empty: FROM-TO, with #1, #2, .. for parallel links
    Real capacity = 1;      // > 0
    Real length = 0;
    Real free_time = 1;  // t_0, >= 0
    Real b = 0;          // B and power of t_0 (1 + B (y / capacity)^power)
    Real power = 1;
    Real toll = 0;
};

struct Place {
    Real x = 0;
    Real y = 0;
};

class Network {
  public:
    /// The node of that name, made if there is none yet.
    NodeIndex node(std::string_view name);
    std::optional<NodeIndex> find_node(std::string_view name) const;
    /// Links between nodes that are numbers: nodes 0 to the largest one, named by their number.
    static Network from_links(std::span<const Link> links);
    /// Parallel links and duplicates stay apart. Throws ConfigError if a node does not exist.
    LinkIndex add_link(Link link);
    /// This and the next throw ConfigError if there is no such node.
    void set_place(NodeIndex node, Place place);
    /// Paths may start and end at this node, not lead through it.
    void bar_through(NodeIndex node);

    Index nodes() const noexcept { return names_.size(); }
    Index links() const noexcept { return links_.size(); }
    const Link& link(LinkIndex link) const { return links_[link]; }
    std::span<const Link> all_links() const noexcept { return links_; }
    const std::string& node_name(NodeIndex node) const { return names_[node]; }
    std::string link_name(LinkIndex link) const;
    /// By its own name, as FROM-TO or FROM->TO where only one link does that, or as FROM-TO#2.
    std::optional<LinkIndex> find_link(std::string_view name) const;
    bool passable(NodeIndex node) const { return !barred_[node]; }
    /// Coordinates in whatever system the file uses; nothing where it gave none.
    std::optional<Place> place(NodeIndex node) const { return places_[node]; }
    bool has_places() const noexcept { return placed_ > 0; }

    /// Links that leave a node, in the order they were added.
    std::span<const LinkIndex> leaving(NodeIndex node) const { return leaving_[node]; }

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, NodeIndex> by_name_;
    std::vector<Link> links_;
    std::vector<std::vector<LinkIndex>> leaving_;
    std::vector<bool> barred_;
    std::vector<std::optional<Place>> places_;
    Index placed_ = 0;
};

/// An origin and a destination with demand between them: what splits are chosen for.
struct Pair {
    NodeIndex origin = 0;
    NodeIndex destination = 0;
    // What the compiler makes of a < b compares with a literal 0. NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// One demand matrix, kept as its pairs.
struct Trips {
    std::vector<Pair> pairs;   // ascending; no pair twice, none with itself
    std::vector<Real> demand;  // a number a pair, >= 0
    Real within = 0;           // demand from a node to itself: it uses no link
};

}  // namespace proxstream
