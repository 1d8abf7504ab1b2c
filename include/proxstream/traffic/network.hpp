/// Directed networks with several links between two nodes allowed: roads, or the lines of a wide-area
/// network.
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

/// Number of a node, counted from 0.
using NodeIndex = std::uint32_t;
/// Number of a link, counted from 0.
using LinkIndex = std::uint32_t;

/// A directed link between two nodes, as its file describes it. LinkCosts turns it into a travel time that
/// depends on the load.
///
/// \code
/// Network network;
/// const NodeIndex north = network.node("north"), city = network.node("city");
/// network.add_link({.from = north, .to = city, .capacity = 1800, .free_time = 12});
/// \endcode
struct Link {
    NodeIndex from = 0;     ///< where it starts
    NodeIndex to = 0;       ///< where it ends
    std::string name = {};  ///< name in the file; empty: FROM-TO, with a number for parallel links
    Real capacity = 1;      ///< c > 0, in units of demand
    Real length = 0;        ///< length, in the file's unit
    Real free_time = 1;     ///< t_0 >= 0, the time without load
    Real b = 0;             ///< B of t_0 (1 + B (y / capacity)^power)
    Real power = 1;         ///< the power in the same formula
    Real toll = 0;          ///< toll, in the file's unit
};

/// Coordinates of a node, in the system of its file. Maps and reports use them; computations do not.
///
/// \code
/// network.set_place(network.node("city"), {.x = 1200, .y = -300});
/// \endcode
struct Place {
    Real x = 0;  ///< first coordinate
    Real y = 0;  ///< second coordinate
};

/// A directed network of named nodes and links. Build one link by link, read it from a file with
/// open_network, or generate it with make_city.
///
/// \code
/// Network network;
/// const NodeIndex a = network.node("a"), b = network.node("b");
/// network.add_link({.from = a, .to = b, .capacity = 100, .free_time = 5});
/// \endcode
class Network {
  public:
    /// The node of that name; it is added if there is none yet.
    NodeIndex node(std::string_view name);
    /// The node of that name, if there is one.
    std::optional<NodeIndex> find_node(std::string_view name) const;
    /// A network from links whose nodes are numbers: nodes 0 to the largest one, named by their number.
    static Network from_links(std::span<const Link> links);
    /// Adds a link. Parallel and equal links stay separate. Throws ConfigError if a node does not exist.
    LinkIndex add_link(Link link);
    /// Sets the coordinates of a node. Like bar_through() it throws ConfigError if there is no such node.
    void set_place(NodeIndex node, Place place);
    /// Forbids paths through this node; they may still start and end there.
    void bar_through(NodeIndex node);

    /// Number of nodes.
    Index nodes() const noexcept { return names_.size(); }
    /// Number of links.
    Index links() const noexcept { return links_.size(); }
    /// The link of that number.
    const Link& link(LinkIndex link) const { return links_[link]; }
    /// All links in the order they were added.
    std::span<const Link> all_links() const noexcept { return links_; }
    /// The name of a node.
    const std::string& node_name(NodeIndex node) const { return names_[node]; }
    /// The name of a link: its own, or FROM-TO, with a number after a hash sign for parallel links.
    std::string link_name(LinkIndex link) const;
    /// The link of that name: its own one, FROM-TO or `FROM->TO` if there is one such link, or `FROM-TO#2`
    /// for the second of parallel links.
    std::optional<LinkIndex> find_link(std::string_view name) const;
    /// Whether paths may lead through a node.
    bool passable(NodeIndex node) const { return !barred_[node]; }
    /// Coordinates of a node, in the system of its file; nullopt if there are none.
    std::optional<Place> place(NodeIndex node) const { return places_[node]; }
    /// Whether any node has coordinates.
    bool has_places() const noexcept { return placed_ > 0; }

    /// Links that leave a node, in the order they were added.
    std::span<const LinkIndex> leaving(NodeIndex node) const { return leaving_[node]; }
    /// Links from one node to another, in the order they were added.
    std::vector<LinkIndex> links_between(NodeIndex from, NodeIndex to) const;

  private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, NodeIndex> by_name_;
    std::vector<Link> links_;
    std::vector<std::vector<LinkIndex>> leaving_;
    std::vector<bool> barred_;
    std::vector<std::optional<Place>> places_;
    Index placed_ = 0;
};

/// An origin and a destination with demand between them. Splits over paths are chosen for each pair.
///
/// \code
/// const std::vector<Pair> pairs{{.origin = network.node("north"), .destination = network.node("city")}};
/// \endcode
struct Pair {
    NodeIndex origin = 0;       ///< where trips start
    NodeIndex destination = 0;  ///< where trips end
    // What the compiler makes of a < b compares with a literal 0. NOLINTNEXTLINE(modernize-use-nullptr)
    friend auto operator<=>(const Pair&, const Pair&) = default;
};

/// A demand matrix, stored as its pairs that have an entry. read_trips and open_network return one.
///
/// \code
/// Trips trips;
/// trips.pairs = {{.origin = 0, .destination = 1}};
/// trips.demand = {350};
/// \endcode
struct Trips {
    std::vector<Pair> pairs;   ///< ascending; no pair twice, none from a node to itself
    std::vector<Real> demand;  ///< one number for each pair, >= 0
    Real within = 0;           ///< demand from nodes to themselves, which uses no link
};

}  // namespace proxstream
