/// The content of an SNDlib file, native or XML.
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
    Real installed = 0;     // pre-installed capacity
    Real module = 0;        // the largest capacity that could be added
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
    std::string link_model;  // of the metadata; may be empty
};

SndlibText parse_sndlib_native(const Input& input);
SndlibText parse_sndlib_xml(const std::string& source, const std::string& bytes);

inline constexpr std::string_view kNativeMark = "?SNDlib";  // the first word of native files

}  // namespace proxstream
