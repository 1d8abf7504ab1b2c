#include "proxstream/traffic/network.hpp"

#include "proxstream/core/error.hpp"

#include "io/parse_number.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Throws ConfigError unless the node exists.
void require_node(NodeIndex node, Index nodes, const char* what) {
    if (node < nodes) return;
    throw ConfigError(
        fmt::format("{} {} does not exist; the network has {} nodes, counted from 0", what, node, nodes));
}

}  // namespace

NodeIndex Network::node(std::string_view name) {
    const auto [found, made] = by_name_.try_emplace(std::string(name), static_cast<NodeIndex>(nodes()));
    if (made) {
        names_.emplace_back(name);
        leaving_.emplace_back();
        barred_.push_back(false);
        places_.emplace_back();
    }
    return found->second;
}

std::optional<NodeIndex> Network::find_node(std::string_view name) const {
    const auto found = by_name_.find(std::string(name));
    if (found == by_name_.end()) return std::nullopt;
    return found->second;
}

Network Network::from_links(std::span<const Link> links) {
    Network network;
    NodeIndex last = 0;
    for (const Link& link : links) last = std::max({last, link.from, link.to});
    for (NodeIndex node = 0; !links.empty() && node <= last; ++node) network.node(std::to_string(node));
    for (const Link& link : links) network.add_link(link);
    return network;
}

LinkIndex Network::add_link(Link link) {
    require_node(link.from, nodes(), "node 'from' of a link,");
    require_node(link.to, nodes(), "node 'to' of a link,");
    const auto index = static_cast<LinkIndex>(links());
    leaving_[link.from].push_back(index);
    links_.push_back(std::move(link));
    return index;
}

void Network::set_place(NodeIndex node, Place place) {
    require_node(node, nodes(), "node");
    if (!places_[node]) ++placed_;
    places_[node] = place;
}

void Network::bar_through(NodeIndex node) {
    require_node(node, nodes(), "node");
    barred_[node] = true;
}

std::string Network::link_name(LinkIndex index) const {
    const Link& link = links_[index];
    if (!link.name.empty()) return link.name;
    std::string name = names_[link.from] + "-" + names_[link.to];
    const std::vector<LinkIndex> parallel = links_between(link.from, link.to);
    if (parallel.size() == 1) return name;
    const auto own = std::lower_bound(parallel.begin(), parallel.end(), index) - parallel.begin();
    return name + "#" + std::to_string(own + 1);
}

std::vector<LinkIndex> Network::links_between(NodeIndex from, NodeIndex to) const {
    std::vector<LinkIndex> found;
    std::copy_if(leaving_[from].begin(), leaving_[from].end(), std::back_inserter(found),
                 [&](LinkIndex link) { return links_[link].to == to; });
    return found;
}

std::optional<LinkIndex> Network::find_link(std::string_view name) const {
    for (LinkIndex index = 0; index < links(); ++index) {
        if (!links_[index].name.empty() && links_[index].name == name) return index;
    }
    Index copy = 0;  // number of a parallel link; 0: the only one
    if (const auto mark = name.rfind('#'); mark != std::string_view::npos) {
        const std::string_view digits = name.substr(mark + 1);
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), copy);
        if (error != std::errc{} || end != digits.data() + digits.size() || copy == 0) return std::nullopt;
        name = name.substr(0, mark);
    }
    // Node names may contain dashes, so try every cut.
    for (auto cut = name.find('-'); cut != std::string_view::npos; cut = name.find('-', cut + 1)) {
        const auto from = find_node(without_blanks(name.substr(0, cut)));
        std::string_view rest = name.substr(cut + 1);
        if (!rest.empty() && rest.front() == '>') rest.remove_prefix(1);
        const auto to = find_node(without_blanks(rest));
        if (!from || !to) continue;
        const std::vector<LinkIndex> matches = links_between(*from, *to);
        if (copy == 0 && matches.size() == 1) return matches.front();
        if (copy > 0 && copy <= matches.size()) return matches[copy - 1];
    }
    return std::nullopt;
}

}  // namespace proxstream
