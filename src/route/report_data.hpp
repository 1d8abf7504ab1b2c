/// The report page of a run, one HTML file that opens without a network, and its data. web/ reads them from
/// the JSON in the page (docs/report.md).
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/regret/certificate.hpp"
#include "proxstream/traffic/network.hpp"

#include "route/alarms.hpp"
#include "route/route_rows.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct ReportSetting {
    std::string name;
    std::string value;
    bool is_default = false;
};

/// What the lead method did, a number a period; a series that was not measured stays empty. NaN: not known
/// there.
struct ReportLead {
    std::vector<Real> demand;           // sum over pairs
    std::vector<Real> cost;             // realised
    std::vector<Real> utilisation_max;  // over links, 1 = at capacity
    std::vector<Real> utilisation_p95;
    std::vector<Real> utilisation_median;
    std::vector<Real> utilisation_mean;
    std::vector<Real> churn;
    std::vector<Real> entry_gap;
    std::vector<Real> tolerance;
    std::vector<Real> regret;        // local regret so far: sum of squared entry gaps
    std::vector<Real> regret_bound;  // what is proved of it, so far
    std::vector<Real> steps;         // inner steps
    std::vector<Real> seconds;       // to decide
};

/// The series by the names they have in the page's data.
struct NamedSeries {
    std::string_view name;
    std::vector<Real> ReportLead::*values;
};
inline constexpr std::array kLeadSeries{
    NamedSeries{"demand", &ReportLead::demand},
    NamedSeries{"cost", &ReportLead::cost},
    NamedSeries{"utilisationMax", &ReportLead::utilisation_max},
    NamedSeries{"utilisationP95", &ReportLead::utilisation_p95},
    NamedSeries{"utilisationMedian", &ReportLead::utilisation_median},
    NamedSeries{"utilisationMean", &ReportLead::utilisation_mean},
    NamedSeries{"churn", &ReportLead::churn},
    NamedSeries{"entryResidual", &ReportLead::entry_gap},
    NamedSeries{"tolerance", &ReportLead::tolerance},
    NamedSeries{"regret", &ReportLead::regret},
    NamedSeries{"regretBound", &ReportLead::regret_bound},
    NamedSeries{"steps", &ReportLead::steps},
    NamedSeries{"seconds", &ReportLead::seconds},
};

/// Utilisation of every link over time for the map, within a budget. When it is full, every other frame goes,
/// and from then on only every second period is kept, then every fourth, and so on.
class ReportFrames {
  public:
    static constexpr std::uint16_t kLargest = 4095;  // permille; larger ones are capped

    ReportFrames() : ReportFrames(700, 4'000'000) {}
    ReportFrames(Index most_frames, Index most_values);

    /// Every period in turn, from 0: a number for each link, or none if nothing was measured.
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

/// Two ways to the same number. The page shows both and their difference.
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
    Network network;                  // every node has a place (drawn_network)
    std::vector<Real> capacity;       // of links, in this run
    std::vector<std::string> labels;  // a period each
    Real minutes = 0;                 // of a period; 0: not known
    ReportLead lead;
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
/// a <script> element. Throws Error naming every series, period or link that does not fit.
std::string to_json(const ReportData& data);
/// {"network": ..}: the part that no period changes.
std::string network_json(const Network& network, ConstView capacity);
/// The page with the data in it; needs the page (run/report_page.hpp).
std::string report_html(const ReportData& data);
/// Replaces the file in one step.
void write_report(const std::string& path, const ReportData& data);

}  // namespace proxstream
