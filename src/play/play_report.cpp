#include "play/play_report.hpp"

#include "proxstream/core/error.hpp"

#include "io/json_writer.hpp"
#include "io/output_file.hpp"
#include "run/report_page.hpp"
#include "store/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

namespace proxstream {
namespace {

/// Of series and paths; charts resolve less.
constexpr int kDigits = 6;
/// Of clouds, which make up most of a report.
constexpr int kCloudDigits = 4;

/// Gathers everything in the report that does not fit together into one message.
class Check {
  public:
    explicit Check(const PlayReport& report) : rounds_(report.rounds.size()) {
        ascend(report.rounds, "the rounds");
        ascend(report.gain_rounds, "the rounds of gains");
        fits(report.gap, "the gap");
        fits(report.gap_bound, "the gap's bound");
        fits(report.instant_gap, "the instantaneous gap");
        same(report.gains.size(), report.gain_rounds.size(), "the gains");
        for (const PlayReportPlayer& player : report.players) {
            const std::string of = " of player '" + player.name + "'";
            fits(player.gap, "the stationarity gap" + of);
            fits(player.bound, "the bound" + of);
            fits(player.instant, "the instantaneous gap" + of);
            fits(player.cost, "the cost" + of);
        }
        for (const PlayReportPath& path : report.paths) {
            const std::string name = "path '" + path.title + "'";
            same(path.points.size(), path.rounds.size(), name);
            ascend(path.rounds, "the rounds of " + name);
            const auto& [left, right, low, high] = path.range;
            const bool unset = left == 0 && right == 0 && low == 0 && high == 0;
            const bool finite = std::ranges::all_of(path.range, [](Real end) { return std::isfinite(end); });
            require(path.triangle || unset || (finite && left < right && low < high),
                    name + " has an empty range");
        }
        std::vector<Round> clouds;
        for (const PlayReportCloud& cloud : report.clouds) clouds.push_back(cloud.round);
        ascend(clouds, "the rounds of clouds");
    }
    void conclude() const {
        if (!wrong_.empty()) throw Error(wrong_);
    }

  private:
    void require(bool holds, const std::string& otherwise) {
        if (!holds) wrong_ += (wrong_.empty() ? "report: " : "; ") + otherwise;
    }
    void same(Index values, Index rounds, const std::string& what) {
        require(values == rounds, what + " has " + std::to_string(values) + " values for " +
                                      std::to_string(rounds) + " rounds");
    }
    void fits(const std::vector<Real>& series, const std::string& what) {
        if (!series.empty()) same(series.size(), rounds_, what);
    }
    void ascend(const std::vector<Round>& rounds, const std::string& what) {
        require(std::ranges::adjacent_find(rounds, std::ranges::greater_equal()) == rounds.end(),
                what + " do not ascend");
    }

    Index rounds_;
    std::string wrong_;
};

void put_series(JsonWriter& to, std::string_view key, std::span<const Real> values) {
    to.list(key, values, [&](Real value) { to.out.number(value, kDigits); });
}

void put_rounds(JsonWriter& to, std::string_view key, const std::vector<Round>& rounds) {
    to.list(key, rounds, [&](Round round) { to.out.integer(round); });
}

/// Columns, not pairs: brackets would be a fifth of the text.
void put_points(JsonWriter& to, const std::vector<ReportPoint>& points, int digits) {
    to.list("x", points, [&](const ReportPoint& point) { to.out.number(point[0], digits); });
    to.list("y", points, [&](const ReportPoint& point) { to.out.number(point[1], digits); });
}

void put_play(JsonWriter& to, const PlayReport& report) {
    put_rounds(to, "rounds", report.rounds);
    put_series(to, "gap", report.gap);
    put_series(to, "gapBound", report.gap_bound);
    put_series(to, "instantGap", report.instant_gap);
    to.object("gains", [&] {
        put_rounds(to, "rounds", report.gain_rounds);
        put_series(to, "values", report.gains);
        to.put("exact", report.gains_exact);
    });
    to.objects("players", report.players, [&](const PlayReportPlayer& player) {
        to.put("name", player.name);
        to.put("set", player.set);
        to.put("learner", player.learner);
        to.put("window", player.window);
        to.put("dimension", player.dimension);
        put_series(to, "gap", player.gap);
        put_series(to, "bound", player.bound);
        put_series(to, "instant", player.instant);
        put_series(to, "cost", player.cost);
    });
}

void put_pictures(JsonWriter& to, const PlayReport& report) {
    to.objects("paths", report.paths, [&](const PlayReportPath& path) {
        to.put("title", path.title);
        to.put("triangle", path.triangle);
        to.list("axes", path.axes, [&](const std::string& name) { to.out.text(name); });
        to.list("range", path.range, [&](Real end) { to.out.number(end, kDigits); });
        put_rounds(to, "rounds", path.rounds);
        put_points(to, path.points, kDigits);
    });
    to.object("real", [&] { put_points(to, report.real_points, kCloudDigits); });
    to.object("centres", [&] { put_points(to, report.mode_centres, kDigits); });
    to.objects("clouds", report.clouds, [&](const PlayReportCloud& cloud) {
        to.put("round", cloud.round);
        put_points(to, cloud.points, kCloudDigits);
        to.out.key("modes");
        to.out.number(cloud.modes, kDigits);
        to.out.key("quality");
        to.out.number(cloud.quality, kDigits);
        to.out.key("divergence");
        to.out.number(cloud.divergence, kDigits);
    });
}

}  // namespace

std::string to_json(const PlayReport& report) {
    Check(report).conclude();
    JsonWriter to;
    to.out.open('{');
    to.put("kind", std::string("play"));
    to.put("title", report.title);
    to.put("subtitle", report.subtitle);
    to.put("version", report.version);
    to.put("command", report.command);
    put_settings(to, report.settings);
    put_play(to, report);
    put_pictures(to, report);
    put_claims(to, report.claims);
    to.list("findings", report.findings, [&](const std::string& finding) { to.out.text(finding); });
    to.put("sound", report.sound);
    to.out.close('}');
    return to.out.take();
}

void write_report(const std::string& path, const PlayReport& report) {
    require_report_page();  // before the work
    write_whole_file(path, page_with_data(to_json(report)));
}

}  // namespace proxstream
