/// What an SNDlib file says, native or XML, before a network or trips are made of it.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/io/byte_source.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

struct SndlibNode {
    std::string name;
    Real x = 0, y = 0;
    std::uint64_t line = 0;
};

struct SndlibLink {
    std::string name, source, target;
    Real installed = 0;     // capacity that is there already
    Real module = 0;        // the largest that could be added
    Real routing_cost = 0;  // of a unit of flow
    std::uint64_t line = 0;
};

struct SndlibDemand {
    std::string source, target;
    Real value = 0;
    std::uint64_t line = 0;
};

struct SndlibText {
    std::string source;
    std::vector<SndlibNode> nodes;
    std::vector<SndlibLink> links;
    std::vector<SndlibDemand> demands;
    std::string link_model;  // of the metadata; empty: undirected, as nearly all files
};

SndlibText parse_sndlib_native(const Input& input);
SndlibText parse_sndlib_xml(const std::string& source, const std::string& bytes);

/// Whether a file that begins with this line is one of SNDlib.
bool begins_sndlib_native(std::string_view line);
bool begins_sndlib_xml(std::string_view line);

}  // namespace proxstream
