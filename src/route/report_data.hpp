/// What the report page shows of a run, and the page itself: one HTML file that needs no network to open.
/// A run fills ReportData; web/ reads it back from the JSON in the page (docs/report.md).
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
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

struct ReportNode {
    std::string name;
    Real x = 0;  // to the right
    Real y = 0;  // upwards
};

struct ReportLink {
    std::string name;
    Index from = 0;
    Index to = 0;
    Real capacity = 0;
};

/// Places are final: report_network of report_layout.hpp lays out what has none.
struct ReportNetwork {
    std::vector<ReportNode> nodes;
    std::vector<ReportLink> links;
};

/// What the lead method did, a number a period; a series nobody measured stays empty. NaN: not known there.
struct ReportLead {
    std::vector<Real> demand;           // sum over pairs
    std::vector<Real> cost;             // realised
    std::vector<Real> utilisation_max;  // over links, 1 = at capacity
    std::vector<Real> utilisation_p95;
    std::vector<Real> utilisation_median;
    std::vector<Real> utilisation_mean;
    std::vector<Real> churn;
    std::vector<Real> entry_residual;
    std::vector<Real> tolerance;
    std::vector<Real> regret;        // local regret so far: sum of squared entry residuals
    std::vector<Real> regret_bound;  // what is proved of it, so far
    std::vector<Real> steps;         // inner steps
    std::vector<Real> seconds;       // to decide
};

/// Utilisation of every link over time for the map, within a budget however long a run lasts: when it is
/// full every other frame goes, and from then on only every second period is kept, every fourth, and so on.
class ReportFrames {
  public:
    static constexpr std::uint16_t kLargest = 4095;  // permille; larger ones are cut off

    ReportFrames() : ReportFrames(700, 4'000'000) {}
    ReportFrames(Index most_frames, Index most_values);

    /// Every period in turn, from 0; a number a link, or nothing where nothing was measured.
    void add(std::span<const Real> utilisation);

    Index links() const noexcept { return links_; }
    /// The periods that were kept, ascending.
    const std::vector<Index>& periods() const noexcept { return periods_; }
    /// Permille, all links of the first frame, then of the second.
    std::span<const std::uint16_t> values() const noexcept { return values_; }
    void exchange(Checkpoint& checkpoint);

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

struct ReportMethod {
    std::string name;   // the learner's text, as the command line takes it
    std::string label;  // what people call it
    Real total_cost = 0;
    Real ratio = 0;  // total cost over the clairvoyant's; NaN if that was not computed
    Real churn = 0;
    Real overload_share = 0;  // of link-periods above capacity
    Real utilisation_max = 0;
    Real utilisation_p95 = 0;
    Real gradients_per_period = 0;  // record gradients
    Real seconds = 0;
    bool is_lead = false;
    bool is_floor = false;   // the clairvoyant
    std::vector<Real> cost;  // a number a period, or empty
};

struct ReportAlarm {
    Index period = 0;
    std::optional<Index> cleared;
    std::string kind;
    std::string subject;  // a link's name, a pair, the feed
    std::string text;
};

struct ReportEvent {
    Index period = 0;
    std::string text;
    std::optional<Index> link;
    std::optional<Real> capacity;  // of that link from this period on; 0: closed
};

/// One inequality of the certificate; the verdict as name(Verdict) words it.
struct ReportClaim {
    std::string id;
    std::string statement;
    std::string verdict;
    Real left = 0;
    Real right = 0;
    std::string explanation;
};

struct ReportKpi {
    std::string name;
    std::string value;  // with its unit
    std::string help;
};

/// Two ways to the same number. The page shows both and how far they are apart.
struct ReportSum {
    std::string name;
    Real total = 0;
    Real parts = 0;  // the sum of the parts
};

/// Periods are counted from 0 here and in the JSON; labels are what people read.
struct ReportData {
    std::string title;
    std::string version;
    std::string command;  // to run it again
    std::vector<ReportSetting> settings;
    std::string demand_unit;  // of demand and capacity, such as "veh/h"
    std::string cost_unit;
    ReportNetwork network;
    std::vector<std::string> labels;  // a period each
    Real minutes = 0;                 // of a period; 0: not known
    ReportLead lead;
    ReportFrames frames;
    std::vector<ReportMethod> methods;
    std::vector<ReportAlarm> alarms;
    std::vector<ReportEvent> events;
    std::string conclusion;  // of the certificate, in words
    std::vector<ReportClaim> claims;
    std::vector<ReportKpi> kpis;
    std::vector<ReportSum> sums;
};

/// Numbers in the shortest form that reads back as the same bits, NaN and infinities as null; safe to stand
/// inside a <script> element. Throws Error naming every series, period or link that fits nothing.
std::string to_json(const ReportData& data);
/// {"network": ..}: the part of it that no period changes.
std::string to_json(const ReportNetwork& network);
/// The page with the data in it; needs the page (run/report_page.hpp).
std::string report_html(const ReportData& data);
/// Replaces the file in one step.
void write_report(const std::string& path, const ReportData& data);

}  // namespace proxstream
