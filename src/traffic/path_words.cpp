#include "traffic/path_words.hpp"

#include "io/describe_text.hpp"
#include "traffic/field_text.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace proxstream {
namespace {

bool is_blank(char c) {
    return c == ' ' || c == '\t';
}
bool is_mark(char c) {
    return c == ':' || c == ',';
}

/// From the opening quote at line[at] to behind the closing one; a quote in a name is written twice.
bool take_quoted(std::string_view line, std::size_t& at, std::string& text) {
    for (++at; at < line.size(); ++at) {
        if (line[at] == '"') {
            ++at;
            if (at == line.size() || line[at] != '"') return true;
        }
        text += line[at];
    }
    return false;
}

}  // namespace

bool split_path_line(std::string_view line, std::vector<PathWord>& words) {
    words.clear();
    std::uint64_t column = 0;
    for (std::size_t at = 0; at < line.size();) {
        if (is_blank(line[at])) {
            ++at;
            continue;
        }
        if (line[at] == '#') return true;
        if (is_mark(line[at])) {
            words.push_back({.mark = line[at++], .column = column});
            continue;
        }
        PathWord word{.quoted = line[at] == '"', .column = ++column};
        if (word.quoted && !take_quoted(line, at, word.text)) return false;
        std::string& rest = word.quoted ? word.suffix : word.text;
        while (at < line.size() && !is_blank(line[at]) && !is_mark(line[at])) rest += line[at++];
        words.push_back(std::move(word));
    }
    return true;
}

std::string path_file_name(const std::string& name) {
    if (!name.empty() && name.find_first_of(" \t,:#\"") == std::string::npos) return name;
    std::string quoted = "\"";
    for (const char c : name) quoted += c == '"' ? std::string(2, c) : std::string(1, c);
    return quoted + '"';
}

PathWalk::PathWalk(const Network& network) : network_(network) {
    for (LinkIndex link = 0; link < network.links(); ++link) {
        const std::string& name = network.link(link).name;
        if (!name.empty()) by_name_[name].push_back(link);
    }
}

NodeIndex PathWalk::node(const PathWord& word) const {
    const auto found = network_.find_node(word.text);
    if (!found || !word.suffix.empty())
        throw BadWord{fmt::format("there is no node {}", quoted_excerpt(word.text + word.suffix)),
                      "nodes of the network"};
    return *found;
}

std::optional<PathWalk::Hop> PathWalk::find_hop(std::string_view text) const {
    if (const auto whole = network_.find_node(text)) return Hop{*whole, 0};
    const auto mark = text.rfind('#');
    if (mark == std::string_view::npos) return std::nullopt;
    const auto copy = parse_count(text.substr(mark + 1));
    const auto node = network_.find_node(text.substr(0, mark));
    if (!copy || *copy == 0 || !node) return std::nullopt;
    return Hop{*node, *copy};
}

/// Names may have dashes in them: every way to cut is tried, short names first. `hopeless` remembers, by
/// length, the ends of the word that no cut is right for: each is tried once.
bool PathWalk::cut_at_dashes(std::string_view text, std::vector<Hop>& hops,
                             std::vector<bool>& hopeless) const {
    if (hopeless[text.size()]) return false;
    for (auto dash = text.find('-');; dash = text.find('-', dash + 1)) {
        const auto hop = find_hop(text.substr(0, dash));
        if (dash == std::string_view::npos) {
            if (hop) hops.push_back(*hop);
            hopeless[text.size()] = !hop;
            return hop.has_value();
        }
        if (!hop) continue;
        hops.push_back(*hop);
        std::string_view rest = text.substr(dash + 1);
        if (!rest.empty() && rest.front() == '>') rest.remove_prefix(1);
        if (cut_at_dashes(rest, hops, hopeless)) return true;
        hops.pop_back();
    }
}

void PathWalk::take(const PathWord& word) {
    if (word.quoted) {
        Index copy = 0;
        if (!word.suffix.empty()) {
            const auto count = word.suffix.front() == '#' ? parse_count(word.suffix.substr(1)) : std::nullopt;
            if (!count || *count == 0)
                throw BadWord{fmt::format("{} follows a name in quotes", quoted_excerpt(word.suffix)),
                              "a blank, or #2 for the second of parallel links"};
            copy = *count;
        }
        return go({node({.text = word.text}), copy});
    }
    if (const auto hop = find_hop(word.text)) return go(*hop);
    if (const auto named = by_name_.find(word.text); named != by_name_.end()) {
        if (named->second.size() > 1)
            throw BadWord{
                fmt::format("{} links are called {}", named->second.size(), quoted_excerpt(word.text)),
                "their nodes, with NODE#2 for the second of parallel links"};
        return follow(named->second.front());
    }
    hops_.clear();
    std::vector<bool> hopeless(word.text.size() + 1, false);
    if (word.text.find('-') == std::string::npos || !cut_at_dashes(word.text, hops_, hopeless))
        throw BadWord{fmt::format("there is no node or link {}", quoted_excerpt(word.text)),
                      "nodes or links of the network, or nodes joined by dashes"};
    // FROM-TO after a word that led to FROM: a link, not a step back.
    const bool continues = !nodes_.empty() && hops_.front().node == nodes_.back() && hops_.front().copy == 0;
    for (Index i = continues ? 1 : 0; i < hops_.size(); ++i) go(hops_[i]);
}

void PathWalk::go(const Hop& hop) {
    if (nodes_.empty()) return arrive(hop.node);
    std::vector<LinkIndex> links;
    for (const LinkIndex link : network_.leaving(nodes_.back())) {
        if (network_.link(link).to == hop.node) links.push_back(link);
    }
    const std::string& from = network_.node_name(nodes_.back());
    const std::string& to = network_.node_name(hop.node);
    if (links.empty())
        throw BadWord{fmt::format("no link leads from {} to {}", from, to),
                      "links of the network, one after the other"};
    if (hop.copy > links.size())
        throw BadWord{fmt::format("{} {} from {} to {}, and not {}", count_of(links.size(), "link"),
                                  links.size() == 1 ? "leads" : "lead", from, to, hop.copy),
                      fmt::format("a number of at most {}", links.size())};
    if (hop.copy == 0 && links.size() > 1)
        throw BadWord{fmt::format("{} links lead from {} to {}", links.size(), from, to),
                      fmt::format("{0}#1 to {0}#{1}, to tell them apart", to, links.size())};
    const LinkIndex link = links[hop.copy == 0 ? 0 : hop.copy - 1];
    arrive(hop.node);
    links_.push_back(link);
}

void PathWalk::follow(LinkIndex link) {
    const Link& taken = network_.link(link);
    if (nodes_.empty()) arrive(taken.from);
    if (taken.from != nodes_.back())
        throw BadWord{fmt::format("link {} starts at {}, and the path is at {}", taken.name,
                                  network_.node_name(taken.from), network_.node_name(nodes_.back())),
                      "links of the network, one after the other"};
    arrive(taken.to);
    links_.push_back(link);
}

void PathWalk::arrive(NodeIndex node) {
    const std::string& name = network_.node_name(node);
    if (std::find(nodes_.begin(), nodes_.end(), node) != nodes_.end())
        throw BadWord{fmt::format("the path comes to node {} twice", name), "a path without loops"};
    if (nodes_.size() > 1 && !network_.passable(nodes_.back()))
        throw BadWord{fmt::format("the path leads through node {}, where traffic may only start and end",
                                  network_.node_name(nodes_.back())),
                      "a path around it"};
    nodes_.push_back(node);
}

}  // namespace proxstream
