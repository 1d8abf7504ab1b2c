#include "play/report_builder.hpp"

#include "game/gan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Round kSeriesPoints = 1500;
constexpr Round kClouds = 40;
constexpr Index kCloudPoints = 600;
constexpr Index kLargestPath = 64;  // coordinates of a joint play; larger plays are not drawn

ReportPoint point_of(const PlanePoint& point) {
    return {point.x, point.y};
}

bool on_simplex(const GamePlayer& player) {
    return player.set.starts_with("simplex");
}

/// The coordinate that determines a player's play, if one does: of two shares, the first.
std::optional<Index> only_coordinate(const GamePlayer& player) {
    const Index n = player.cost->dimension();
    if (n == 1 || (n == 2 && on_simplex(player))) return 0;
    return std::nullopt;
}

/// The two coordinates that moved most.
std::array<Index, 2> liveliest(const std::vector<std::vector<Real>>& plays, Index begin, Index n) {
    std::vector<std::pair<Real, Index>> spreads;
    for (Index k = 0; k < n; ++k) {
        Real low = kInfinity;
        Real high = -kInfinity;
        for (const auto& play : plays) {
            low = std::min(low, play[begin + k]);
            high = std::max(high, play[begin + k]);
        }
        spreads.emplace_back(low - high, k);
    }
    std::stable_sort(spreads.begin(), spreads.end());
    return {std::min(spreads[0].second, spreads[1].second), std::max(spreads[0].second, spreads[1].second)};
}

void set_range(PlayReportPath& path) {
    if (path.triangle) return;
    for (Index axis = 0; axis < 2; ++axis) {
        Real low = kInfinity;
        Real high = -kInfinity;
        for (const ReportPoint& point : path.points) {
            low = std::min(low, point[axis]);
            high = std::max(high, point[axis]);
        }
        const Real margin = std::max<Real>(0.05 * (high - low), 1e-9 * std::max<Real>(1, std::abs(high)));
        path.range[2 * axis] = low - margin;
        path.range[2 * axis + 1] = high + margin;
    }
}

}  // namespace

ReportBuilder::ReportBuilder(const PlaySettings& settings, const PlayPlan& plan, const GameDefinition& game)
    : game_(game),
      layout_(game.layout()),
      asked_(settings.rounds),
      every_(std::max<Round>(1, settings.rounds / kSeriesPoints)),
      cloud_every_(std::max<Round>(1, settings.rounds / kClouds)),
      quality_samples_(settings.quality_samples),
      seed_(settings.seed),
      keeps_plays_(layout_.dimension() <= kLargestPath) {
    report_.title = game.name;
    report_.subtitle = fmt::format("{} players, {} play", game.players.size(), name(plan.turns));
    const PlaySettings usual;
    for (const auto& row : PlaySettings::options()) {
        const std::string value = present(row, settings);
        if (affects_results(row) && value != present(row, usual))
            report_.settings.emplace_back(row.name, value);
    }
    for (Index i = 0; i < game.players.size(); ++i) {
        const SeatPlan& seat = plan.seats[i];
        report_.players.push_back(
            {.name = game.players[i].name,
             .set = game.players[i].set,
             .learner = fmt::format("{}, window {}, eta {:.4g}", seat.learner, seat.window, seat.step),
             .window = seat.window.starts_with("auto")
                           ? 0
                           : static_cast<Real>(WindowWeights::parse(seat.window).length()),
             .dimension = layout_.dimension(i),
             .gap = {},
             .bound = {},
             .instant = {},
             .cost = {}});
    }
    if (game.gan != nullptr) {
        for (const PlanePoint& mode : game.gan->data().modes) report_.mode_centres.push_back(point_of(mode));
        for (Index j = 0; j < kCloudPoints; ++j)
            report_.real_points.push_back(point_of(game.gan->data_point(j)));
    }
}

void ReportBuilder::add(const RoundFigures& figures, ConstView joint) {
    if (!std::isnan(figures.gain)) {
        report_.gain_rounds.push_back(figures.round);
        report_.gains.push_back(figures.gain);
        report_.gains_exact = report_.gains_exact && figures.gain_exact;
    }
    if (game_.gan != nullptr && (figures.round == 1 || figures.round % cloud_every_ == 0))
        add_cloud(figures.round, joint);
    // With sampled costs, only some rounds have gaps: those are shown.
    const bool known = game_.gan == nullptr || !std::isnan(figures.instant_gap);
    const bool shown = game_.gan != nullptr ? known : figures.round % every_ == 0;
    if (shown || figures.round <= 2) {
        add_round(figures, joint);
    } else if (known) {
        last_ = figures;
        last_play_.assign(joint.begin(), joint.end());
    }
}

void ReportBuilder::add_round(const RoundFigures& figures, ConstView joint) {
    report_.rounds.push_back(figures.round);
    report_.gap.push_back(figures.gap);
    report_.gap_bound.push_back(figures.gap_bound);
    report_.instant_gap.push_back(figures.instant_gap);
    for (Index i = 0; i < figures.seats.size(); ++i) {
        const SeatFigures& seat = figures.seats[i];
        PlayReportPlayer& player = report_.players[i];
        player.gap.push_back(seat.gap);
        player.bound.push_back(seat.bound);
        player.instant.push_back(seat.instant);
        player.cost.push_back(seat.cost);
    }
    if (keeps_plays_) plays_.emplace_back(joint.begin(), joint.end());
}

void ReportBuilder::add_cloud(Round round, ConstView joint) {
    const ConstView weights = layout_.block(joint, kGeneratorSeat);
    std::vector<PlanePoint> points(quality_samples_);
    Scratch scratch;
    game_.gan->generate(weights, seed_, points, scratch);
    const GanQuality quality = measure_quality(game_.gan->data(), points);
    PlayReportCloud cloud{.round = round,
                          .points = {},
                          .modes = static_cast<Real>(quality.modes),
                          .quality = quality.high_quality,
                          .divergence = quality.reverse_kl};
    points.resize(std::min(points.size(), kCloudPoints));
    for (const PlanePoint& point : points) cloud.points.push_back(point_of(point));
    report_.clouds.push_back(std::move(cloud));
}

void ReportBuilder::add_paths() {
    if (plays_.empty()) return;
    const auto axis_name = [&](Index player, Index coordinate) {
        return layout_.dimension(player) == 1
                   ? game_.players[player].name
                   : fmt::format("{} [{}]", game_.players[player].name, coordinate + 1);
    };
    const auto add = [&](PlayReportPath path, Index first, Index second) {
        for (const auto& play : plays_) path.points.push_back({play[first], play[second]});
        path.rounds = report_.rounds;
        set_range(path);
        report_.paths.push_back(std::move(path));
    };
    std::vector<Index> lines;  // players whose play one coordinate determines
    for (Index i = 0; i < layout_.players(); ++i) {
        if (only_coordinate(game_.players[i])) lines.push_back(i);
    }
    // With an odd number of players, the last is drawn against the first.
    if (lines.size() > 1 && lines.size() % 2 == 1) lines.push_back(lines.front());
    for (Index k = 0; k + 1 < lines.size(); k += 2) {
        add({.title = game_.players[lines[k]].name + " against " + game_.players[lines[k + 1]].name,
             .axes = {axis_name(lines[k], 0), axis_name(lines[k + 1], 0), ""},
             .points = {},
             .rounds = {}},
            layout_.begin(lines[k]), layout_.begin(lines[k + 1]));
    }
    for (Index i = 0; i < layout_.players(); ++i) {
        if (only_coordinate(game_.players[i])) continue;
        const Index begin = layout_.begin(i);
        PlayReportPath path{.title = game_.players[i].name, .axes = {}, .points = {}, .rounds = {}};
        if (layout_.dimension(i) == 3 && on_simplex(game_.players[i])) {
            path.triangle = true;
            path.axes = {axis_name(i, 0), axis_name(i, 1), axis_name(i, 2)};
            add(std::move(path), begin + 1, begin + 2);
            continue;
        }
        const std::array<Index, 2> shown = liveliest(plays_, begin, layout_.dimension(i));
        path.axes = {axis_name(i, shown[0]), axis_name(i, shown[1]), ""};
        if (layout_.dimension(i) > 2)
            path.title +=
                fmt::format(": the two of its {} coordinates that moved most", layout_.dimension(i));
        add(std::move(path), begin + shown[0], begin + shown[1]);
    }
}

void ReportBuilder::add_findings(const GameCertificate& certificate) {
    std::vector<std::string>& findings = report_.findings;
    if (certificate.refused > 0) {
        findings.push_back(
            fmt::format("The game ended in round {} of {}: a cost was not a finite number there, and the "
                        "round was refused for all players.",
                        certificate.rounds + 1, asked_));
    } else if (certificate.rounds < asked_) {
        findings.push_back(
            fmt::format("The game was ended after {} of {} rounds.", certificate.rounds, asked_));
    }
    const Inequality& every_round = certificate.at("G1");
    if (kept(every_round.verdict)) {
        findings.push_back(fmt::format(
            "Against its window every player's stationarity gap kept its bound in every round from the "
            "second on{}; "
            "the tightest came to {:.3g} of it.",
            certificate.unpromised > 0
                ? fmt::format(" with a bound for every player ({} rounds had none)", certificate.unpromised)
                : "",
            every_round.ratio()));
    } else if (every_round.verdict == Verdict::violated) {
        findings.push_back("A player's stationarity gap was above its bound: " + every_round.explanation +
                           ".");
    } else {
        findings.push_back("Not every player has a bound: " + every_round.explanation + ".");
    }
    if (const auto& measures = certificate.measures) {
        findings.push_back(
            fmt::format("The last play alone, without its window: stationarity gap {:.3g} at the end, {:.3g} "
                        "in the middle of "
                        "all rounds. A small smoothed gap is no equilibrium of the game.",
                        measures->instant_last, measures->instant_median));
        if (!std::isnan(measures->gain_last)) {
            findings.push_back(fmt::format("Best responses to the last play would save {}{:.4g} in all.",
                                           measures->gain_exact ? "" : "at least ", measures->gain_last));
        }
    }
    if (!report_.clouds.empty()) {
        const PlayReportCloud& last = report_.clouds.back();
        findings.push_back(fmt::format(
            "At the end the generator covers {:.0f} of {} modes; {:.1f} % of its points are of high quality, "
            "reverse KL {:.3g}.",
            last.modes, report_.mode_centres.size(), 100 * last.quality, last.divergence));
    }
}

PlayReport ReportBuilder::finish(const GameCertificate& certificate, ConstView joint) const {
    ReportBuilder ended = *this;
    ended.close(certificate, joint);
    return std::move(ended.report_);
}

void ReportBuilder::close(const GameCertificate& certificate, ConstView joint) {
    if (game_.gan != nullptr && certificate.rounds > 0) add_cloud(certificate.rounds + 1, joint);
    // The last round that was played, even if the run ended early.
    if (!report_.rounds.empty() && last_.round > report_.rounds.back()) add_round(last_, last_play_);
    report_.subtitle += fmt::format(", {} round{}", certificate.rounds, certificate.rounds == 1 ? "" : "s");
    add_paths();
    add_findings(certificate);
    report_.claims = certificate.inequalities;
    for (const Certificate& player : certificate.players) {
        for (Inequality claim : player.inequalities) {
            if (claim.verdict == Verdict::not_applicable) continue;
            claim.id = player.header.name + " " + claim.id;
            report_.claims.push_back(std::move(claim));
        }
    }
    report_.sound = certificate.sound();
}

void ReportBuilder::serialise(StateArchive& archive) {
    const auto series = [&](std::string_view name, std::vector<Real>& values) { archive.list(name, values); };
    archive.list("rounds", report_.rounds);
    series("gap", report_.gap);
    series("gap bound", report_.gap_bound);
    series("instant gap", report_.instant_gap);
    archive.list("gain rounds", report_.gain_rounds);
    series("gains", report_.gains);
    archive.field("gains are exact", report_.gains_exact);
    archive.agree("players", report_.players.size());
    for (PlayReportPlayer& player : report_.players) {
        series("gap", player.gap);
        series("bound", player.bound);
        series("instant", player.instant);
        series("cost", player.cost);
    }
    Index clouds = report_.clouds.size();
    archive.field("clouds", clouds, std::uint64_t{1} << 32U);
    report_.clouds.resize(clouds);
    for (PlayReportCloud& cloud : report_.clouds) {
        archive.field("round", cloud.round);
        std::vector<Real> flat;
        for (const ReportPoint& point : cloud.points) flat.insert(flat.end(), point.begin(), point.end());
        archive.list("points", flat);
        archive.require(flat.size() % 2 == 0, "two numbers a point");
        cloud.points.clear();
        for (Index i = 0; i < flat.size(); i += 2) cloud.points.push_back({flat[i], flat[i + 1]});
        archive.fields(Field{"modes", cloud.modes}, Field{"quality", cloud.quality},
                       Field{"divergence", cloud.divergence});
    }
    Index plays = plays_.size();
    archive.field("plays", plays, std::uint64_t{1} << 32U);
    plays_.resize(plays);
    for (std::vector<Real>& play : plays_) {
        archive.list("play", play);
        archive.require(play.size() == layout_.dimension(), "a joint play");
    }
    archive.fields(Field{"last", last_}, Field{"last play", last_play_});
}

}  // namespace proxstream
