/// A small TNTP network as text, and changes to it.
#pragma once

#include <string>

namespace proxstream::test {

inline const std::string kMeta =
    "<NUMBER OF ZONES> 2\t\t\n<NUMBER OF NODES>\t\t4\n<FIRST THRU NODE> 3\n<NUMBER OF LINKS> 3 \n"
    "<ORIGINAL HEADER>~ \tTail\tHead\t;\n<END OF METADATA>\t\t\n\n\n";
inline const std::string kHeader =
    "~\tinit_node\tterm_node\tcapacity\tlength\tfree_flow_time\tb\tpower\tspeed\ttoll\tlink_type\t;\n";
inline const std::string kRows =
    "\t1\t3\t100\t5\t2\t0.15\t4\t0\t0\t1\t;\n"
    "\t4\t2\t200\t6\t3\t0\t0\t0\t7\t1;\n"
    "\t3\t4\t300\t7\t0\t0.5\t1.5\t0\t0\t1\t;\n";

inline std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
    return text;
}

}  // namespace proxstream::test
