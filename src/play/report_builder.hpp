/// Gathers the data of a game's page during the play: thinned series, the path of the plays, and for a GAN
/// clouds of generated points.
#pragma once

#include "front/play_plan.hpp"
#include "play/play_report.hpp"
#include "play/play_settings.hpp"
#include "play/round_figures.hpp"

#include <vector>

namespace proxstream {

class ReportBuilder {
  public:
    ReportBuilder(const PlaySettings& settings, const PlayPlan& plan, const GameDefinition& game);

    /// `joint`: the play of that round.
    void add(const RoundFigures& figures, ConstView joint);
    /// The report if the play ended here; `joint`: the present strategies.
    PlayReport finish(const GameCertificate& certificate, ConstView joint) const;
    /// Call it between two rounds. A state is read into a builder with the same settings.
    void serialise(StateArchive& archive);

  private:
    void close(const GameCertificate& certificate, ConstView joint);
    void add_round(const RoundFigures& figures, ConstView joint);
    void add_cloud(Round round, ConstView joint);
    void add_paths();
    void add_findings(const GameCertificate& certificate);

    const GameDefinition& game_;
    JointLayout layout_;
    Round asked_;        // rounds
    Round every_;        // of series
    Round cloud_every_;  // of clouds
    Index quality_samples_;
    std::uint64_t seed_;
    std::vector<std::vector<Real>> plays_;  // joint plays, at the rounds of the series; empty for large games
    bool keeps_plays_;
    RoundFigures last_;  // of the rounds that have figures
    std::vector<Real> last_play_;
    PlayReport report_;
};

}  // namespace proxstream
