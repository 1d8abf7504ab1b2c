/// The report page of a run, one HTML file that needs no server, and its data. The page (web/) reads them as
/// JSON (docs/report.md).
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/certificate.hpp"
#include "proxstream/traffic/network.hpp"

#include "route/alarms.hpp"
#include "route/route_rows.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

struct ReportSetting {
    std::string name;
    std::string value;
    bool is_default = false;
};

/// Series of the primary method by name, one number for each period; NaN: unknown. They are the reported
/// columns of a PeriodRow, then regret (local regret so far) and regret_bound (its proved bound).
using ReportPrimary = std::map<std::string, std::vector<Real>, std::less<>>;

/// Utilisation of every link over time for the map, within a budget. When it is full, every other frame is
/// dropped, and only every second period is kept from then on, then every fourth, and so on.
class ReportFrames {
  public:
    static constexpr std::uint16_t kLargest = 4095;  // permille; larger ones are capped

    ReportFrames() : ReportFrames(700, 4'000'000) {}
    ReportFrames(Index most_frames, Index most_values);

    /// Call it for every period in turn, from 0: a number for each link, or none if the period was not
    /// measured.
    void add(std::span<const Real> utilisation);

    Index links() const noexcept { return links_; }
    /// The periods that were kept, ascending.
    const std::vector<Index>& periods() const noexcept { return periods_; }
    /// Permille, all links of the first frame, then of the second.
    std::span<const std::uint16_t> values() const noexcept { return values_; }
    void serialise(StateArchive& archive);

  private:
    void drop_every_other();

    Index most_frames_;
    Index most_values_;
    Index links_ = 0;
    Index seen_ = 0;
    Index stride_ = 1;
    std::vector<Index> periods_;
    std::vector<std::uint16_t> values_;
};

struct ReportMethod : MethodRow {
    std::vector<Real> cost = {};  // a number a period, or empty
};

struct ReportEvent {
    Index period = 0;
    std::string text;
    std::optional<Index> link;
    std::optional<Real> capacity;  // of that link from this period on; 0: closed
};

struct ReportKpi {
    std::string name;
    std::string value;  // with its unit
    std::string help;
};

/// A number and its parts, which should sum to it. The page shows both and their difference.
struct ReportSum {
    std::string name;
    Real total = 0;
    Real parts = 0;  // the sum of the parts
};

/// Periods of frames and events are counted from 0, as in the JSON.
struct ReportData {
    std::string title;
    std::string version;
    std::string command;  // to run it again
    std::vector<ReportSetting> settings;
    std::string demand_unit;  // of demand and capacity, such as "veh/h"
    std::string cost_unit;
    Network network;                  // every node has coordinates (drawn_network)
    std::vector<Real> capacity;       // of links, in this run
    std::vector<std::string> labels;  // a period each
    Real minutes = 0;                 // of a period; 0: not known
    ReportPrimary primary;
    ReportFrames frames;
    std::vector<ReportMethod> methods;
    std::vector<Alarm> alarms;
    std::vector<ReportEvent> events;
    std::string conclusion;  // of the certificate, in words
    std::vector<Inequality> claims;
    std::vector<ReportKpi> kpis;
    std::vector<ReportSum> sums;
};

/// Numbers have the shortest form that reads back as the same bits; NaN and infinities are null. Safe inside
/// a <script> element.
std::string to_json(const ReportData& data);
/// {"network": ..}: what no period changes.
std::string network_json(const Network& network, ConstView capacity);
/// Replaces the file in one step by the page with the data in it; needs the page (run/report_page.hpp).
void write_report(const std::string& path, const ReportData& data);

}  // namespace proxstream
