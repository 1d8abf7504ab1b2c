/// What stays the same in the folder of a run, read back: the network, the pairs, every path there ever was,
/// events and alarms.
#pragma once

#include "route/csv_table.hpp"
#include "route/route_files.hpp"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace proxstream {

struct RunFolder {
    struct RoadLink {
        std::string name;
        Index from = 0, to = 0;  // nodes
        Real capacity = 0;
    };
    struct PairEnds {
        Index origin = 0, destination = 0;
        std::string name;  // A->B
    };
    struct PathLife {
        Index pair = 0;
        Index slot = 0;
        Index epoch = 0;                     // in which it came
        std::optional<Index> gone;           // in which it went
        Index first_link = 0, end_link = 0;  // of path_links

        bool lives(Index at) const { return epoch <= at && (!gone || at < *gone); }
        bool slack() const { return first_link == end_link; }
    };
    struct Event {
        Index period = 0;
        std::string kind;
        Index link = 0;
        Real factor = 1;
    };
    struct AlarmLife {
        std::string kind, subject;
        Index raised = 0;
        std::optional<Index> cleared;

        bool open(Index period) const { return raised <= period && (!cleared || period < *cleared); }
    };
    /// Of run.json.
    struct Run {
        RouteDetail detail = RouteDetail::periods;
        bool finished = false;
        Index periods = 0, alarms = 0;  // once it is finished
        Index links = 0, pairs = 0, paths = 0;
        std::string objective;
    };

    /// Throws IoError, or DataError for whatever cannot be part of any run.
    explicit RunFolder(std::string folder);
    std::string path(std::string_view file) const;

    std::string folder;
    Run run;
    std::unordered_map<std::string, Index> nodes;
    std::vector<RoadLink> links;
    std::vector<PairEnds> pairs;
    std::vector<PathLife> paths;
    std::vector<Index> path_links;
    std::vector<Event> events;  // in the order of periods
    std::vector<AlarmLife> alarms;

  private:
    void read_run();
    void read_links();
    void read_pairs();
    void read_paths();
    void read_path_links(const CsvTable& table, PathLife& path);
    void read_events();
    void read_alarms();
};

}  // namespace proxstream
