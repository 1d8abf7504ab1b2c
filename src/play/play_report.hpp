/// The data of a game's report page. The caller thins the series; all series with the same rounds have the
/// same length.
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/regret/certificate.hpp"

#include "store/run_identity.hpp"

#include <array>
#include <string>
#include <vector>

namespace proxstream {

using ReportPoint = std::array<Real, 2>;

struct PlayReportPlayer {
    std::string name;
    std::string set;      // g in words
    std::string learner;  // with its window
    Real window = 0;      // plays in the window of the gap; 0: unknown
    Index dimension = 0;
    std::vector<Real> gap;      // R_t, against the window
    std::vector<Real> bound;    // proved bound of R_t: (delta + d_t) / w_a; NaN: none
    std::vector<Real> instant;  // the gap of the newest play alone
    std::vector<Real> cost;     // f + g
};

/// A picture of the path of the plays: two coordinates, or a triangle of three shares.
struct PlayReportPath {
    std::string title;
    bool triangle = false;            // points are (second, third) of three shares
    std::array<std::string, 3> axes;  // names of the two coordinates, or of the three corners
    std::vector<ReportPoint> points;  // in the order of play
    std::vector<Round> rounds;        // of each point
    std::array<Real, 4> range{};      // x from, to, y from, to; all 0: the range of the points
};

struct PlayReportCloud {
    Round round = 0;
    std::vector<ReportPoint> points;  // points of the generator
    Real modes = 0;                   // covered
    Real quality = 0;                 // share of points close to one
    Real divergence = 0;              // reverse KL over the modes
};

struct PlayReport {
    std::string title;     // the game
    std::string subtitle;  // one sentence: players, turns, rounds
    std::string version;
    std::string command;  // to play this again; may be empty
    SettingList settings;
    std::vector<Round> rounds;       // of all series below, and the players'
    std::vector<Real> gap;           // max over players of R_t
    std::vector<Real> gap_bound;     // max over players of their bounds
    std::vector<Real> instant_gap;   // max over players of the newest play's gap
    std::vector<Round> gain_rounds;  // rounds with best responses
    std::vector<Real> gains;         // sum over players of what a best response would save
    bool gains_exact = true;         // false: responses are local, so a lower bound
    std::vector<PlayReportPlayer> players;
    std::vector<PlayReportPath> paths;
    std::vector<ReportPoint> real_points;  // of a GAN: the data
    std::vector<ReportPoint> mode_centres;
    std::vector<PlayReportCloud> clouds;  // of a GAN, by round
    std::vector<Inequality> claims;
    std::vector<std::string> findings;  // sentences shown first
    bool sound = true;                  // no claim is violated
};

/// The JSON that the page reads; "kind" is "play". NaN and infinity become null. Numbers have six significant
/// digits, of clouds four. Throws Error with everything whose length or order is wrong.
std::string to_json(const PlayReport& report);
/// Replaces the file by one self-contained HTML page. Throws ConfigError if the program was built without the
/// page (require_report_page() checks it before a long play), IoError if the file cannot be written.
void write_report(const std::string& path, const PlayReport& report);

}  // namespace proxstream
