#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/output_file.hpp"
#include "route/route_run.hpp"
#include "study/defaults_data.hpp"
#include "study/defaults_entries.hpp"
#include "study/defaults_table.hpp"
#include "study/plans.hpp"
#include "study/route_cells.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

#include <fmt/format.h>
#include <unistd.h>

namespace proxstream {
namespace {

void add_scores(const EntryScore& score, Index rounds, Index scored, const std::string& data,
                const Entry& entry, std::uint64_t seed, CellResult& result) {
    const auto add = [&](const std::string& figure, Real value) {
        result.measurements.push_back({data, entry.name, figure, seed, value});
    };
    for (const auto& [knob, value] : score.chosen.knobs) add("chosen_" + knob, value);
    const bool is_default = entry.name == kDefaultEntry;
    if (score.refused > 0) {
        add("refused", static_cast<Real>(score.refused));
        if (is_default)
            result.notes.push_back(
                fmt::format("the default refused {} rounds because a loss was not finite", score.refused));
        // A rival that diverges has no mean loss.
        if (!is_default) return;
    }
    add(kScore, score.loss);
    if (score.clean_loss) add("clean_loss", *score.clean_loss);
    if (score.error_share) add("error_percent", 100 * *score.error_share);
    add(kRoundGradients, score.gradients);
    if (!entry.candidates.empty())
        add(kRoundMicroseconds, 1e6 * score.seconds / static_cast<Real>(std::max<Index>(rounds, 1)));
    if (is_default) add(kRounds, static_cast<Real>(scored));
    if (!score.complaint.empty()) result.notes.push_back(fmt::format("{}: {}", entry.name, score.complaint));
}

/// Entries that do not draw run under the first seed only.
CellResult run_stream_cell(const StreamComparison& comparison, const std::string& data, StudyPreset preset,
                           std::uint64_t seed, StopFlag stop, const std::function<void(Real)>& on_share) {
    std::vector<Entry> entries = row_entries(preset);
    std::erase_if(entries, [&](const Entry& entry) {
        return (seed > 1 && !entry.draws) || (entry.candidates.empty() && !comparison.has_last_value());
    });
    Index work = 0;
    for (const Entry& entry : entries) work += comparison.work(entry);
    CellResult result;
    Index before = 0;
    for (const Entry& entry : entries) {
        const auto score = comparison.run(entry, seed, stop, [&](Index rounds) {
            on_share(static_cast<Real>(before + rounds) / static_cast<Real>(work));
        });
        if (!score) {
            result.interrupted = true;
            return result;
        }
        before += comparison.work(entry);
        add_scores(*score, comparison.rounds(), comparison.rounds() - comparison.prefix(), data, entry, seed,
                   result);
    }
    return result;
}

/// The links of a node-link JSON file as a CSV file, for as long as it lives.
class LinkFile {
  public:
    explicit LinkFile(const std::string& json_path)
        : path_((std::filesystem::temp_directory_path() / fmt::format("proxstream-links-{}.csv", getpid()))
                    .string()) {
        std::string text = "from,to,capacity\n";
        try {
            const auto json = nlohmann::json::parse(read_whole_file(json_path));
            for (const auto& link : json.at("links")) {
                text += fmt::format("{},{},{}\n", link.at("source").get<Index>(),
                                    link.at("target").get<Index>(), link.at("capacity").get<Real>());
            }
        } catch (const nlohmann::json::exception& error) {
            throw Error(
                fmt::format("{}: this is not a network as node-link JSON ({})", json_path, error.what()));
        }
        write_whole_file(path_, text);
    }
    ~LinkFile() {
        std::error_code ignored;
        std::filesystem::remove(path_, ignored);
    }
    LinkFile(const LinkFile&) = delete;
    LinkFile& operator=(const LinkFile&) = delete;

    const std::string& path() const noexcept { return path_; }

  private:
    std::string path_;
};

/// The settings of a run with these entries, the first of which leads.
RouteSettings comparing(RouteSettings settings, const std::vector<RouteEntry>& entries, std::uint64_t seed) {
    settings.learner = entries.front().text;
    settings.rivals.clear();
    for (Index i = 1; i < entries.size(); ++i) settings.rivals += (i > 1 ? ";" : "") + entries[i].text;
    if (seed > 1) settings.seed = seed;
    settings.clairvoyant = seed == 1;  // its cost does not depend on the seed
    return settings;
}

/// Costs of the clairvoyant, found under the first seed.
struct LowerBound {
    Real whole = 1;
    Real first = 0;  // of the first periods
};

Real cost_of(const std::vector<MethodRow>& rows, const MethodRow& wanted) {
    for (const MethodRow& row : rows)
        if (row.name == wanted.name && row.lead == wanted.lead) return row.total_cost;
    return 0;
}

CellResult run_network_cell(const NetworkData& data, StudyPreset preset, std::uint64_t seed,
                            LowerBound& lower_bound, StopFlag stop,
                            const std::function<void(Real)>& on_share) {
    std::vector<RouteEntry> entries = route_entries(preset);
    std::erase_if(entries, [&](const RouteEntry& entry) { return seed > 1 && !entry.draws; });
    RouteSettings settings = comparing(data.settings, entries, seed);
    std::optional<LinkFile> links;
    if (!data.link_json.empty()) settings.network = links.emplace(data.link_json).path();

    CellResult result;
    RouteRun run(settings, stop, "", "");
    std::vector<MethodRow> first;
    const Real expected = settings.periods > 0 ? static_cast<Real>(settings.periods) : 2000;
    const RouteOutcome outcome = run.run([&](const RouteProgress& progress) {
        if (progress.periods == kFirstPeriods) first = run.methods();
        on_share(std::min<Real>(1, static_cast<Real>(progress.periods) / expected));
    });
    result.interrupted = outcome.ending == RunEnding::interrupted;
    if (result.interrupted) return result;
    result.notes = outcome.problems;
    if (!sound(outcome.certificates)) result.notes.push_back(epochs_conclusion(outcome.certificates));
    const auto periods = static_cast<Real>(std::max<Index>(outcome.periods, 1));
    for (const MethodRow& row : outcome.methods)
        if (row.floor) lower_bound = {row.total_cost, cost_of(first, row)};
    for (const MethodRow& row : outcome.methods) {
        const auto entry = std::find_if(entries.begin(), entries.end(), [&](const RouteEntry& each) {
            return !row.floor && (row.lead ? &each == &entries.front() : each.text == row.name);
        });
        if (entry == entries.end()) continue;
        const auto add = [&](const char* figure, Real value) {
            result.measurements.push_back({data.name, entry->name, figure, seed, value});
        };
        add(kScore, row.total_cost / lower_bound.whole);
        if (outcome.periods > kFirstPeriods) {
            add(kLateScore, (row.total_cost - cost_of(first, row)) / (lower_bound.whole - lower_bound.first));
        }
        add(kChurn, 100 * row.churn);
        add(kBusiest, row.utilisation_max);
        add(kRoundGradients, row.gradients);
        add(kRoundMicroseconds, 1e6 * row.seconds / periods);
        if (row.lead) add(kRounds, periods);
    }
    return result;
}

StudyCell stream_cell(const StreamData& data, StudyPreset preset, std::uint64_t seed) {
    return {fmt::format("{}, seed {}", data.name, seed),
            [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                return run_stream_cell(StreamComparison(data.settings, most_rows(preset)), data.name, preset,
                                       seed, stop, on_share);
            }};
}

StudyCell network_cell(const NetworkData& data, StudyPreset preset, std::uint64_t seed,
                       const std::shared_ptr<LowerBound>& lower_bound) {
    return {fmt::format("{}, seed {}", data.name, seed),
            [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                return run_network_cell(data, preset, seed, *lower_bound, stop, on_share);
            }};
}

/// What to type to run `compare` on a stream.
std::string compare_command(const LearnSettings& settings) {
    const LearnSettings plain;
    std::string text = "proxstream compare";
    for (const auto& row : learn_options()) {
        if (present(row, settings) == present(row, plain)) continue;
        const bool flag = std::holds_alternative<bool LearnSettings::*>(row.member);
        text += row.name == "data" ? "" : fmt::format(" --{}", row.name);
        if (!flag) text += " " + present(row, settings);
    }
    return text;
}

void describe(StudyPlan& plan, const std::vector<DataFacts>& facts, StudyPreset preset) {
    plan.question =
        "The default (automatic window) against every fixed window and every rival. Learning rates of "
        "rivals, "
        "and the window of\nre-solve, are tuned on the first tenth of a stream (at most 2000 rows); the loss "
        "is that of the rest. Networks are scored\non all periods. Best window and best rival: chosen in "
        "hindsight. Entries that do not draw run once.";
    plan.figures = {{kScore, "loss"}};
    plan.tables = [facts](const ResultTable& table) {
        std::vector<DefaultsRow> rows;
        for (const DataFacts& each : facts)
            if (auto row = summarise(table, each)) rows.push_back(std::move(*row));
        return defaults_markdown(rows);
    };
    plan.charts = [facts](const ResultTable& table) {
        return std::vector<NamedChart>{{"rivals.svg", defaults_chart(table, facts)}};
    };
    for (const Entry& entry : row_entries(preset)) {
        std::string texts;
        for (const Candidate& candidate : entry.candidates)
            texts += (texts.empty() ? "" : "; ") + candidate.learner;
        if (entry.candidates.empty()) texts = "the label of the row before";
        plan.glossary.emplace_back(entry.name, (entry.candidates.size() > 1 ? "the best of " : "") + texts);
    }
}

}  // namespace

StudyPlan plan_defaults(StudyPreset preset, Index seeds) {
    const DefaultsData data = defaults_data(preset);
    StudyPlan plan;
    std::vector<DataFacts> facts;
    for (const StreamData& stream : data.streams)
        facts.push_back({stream.name, stream.use, false, most_rows(preset)});
    for (const NetworkData& network : data.networks) facts.push_back({network.name, network.use, true, 0});
    describe(plan, facts, preset);
    plan.skipped = data.skipped;
    std::vector<std::shared_ptr<LowerBound>> lower_bounds;
    for (Index i = 0; i < data.networks.size(); ++i) lower_bounds.push_back(std::make_shared<LowerBound>());
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        for (const StreamData& stream : data.streams) plan.cells.push_back(stream_cell(stream, preset, seed));
        for (Index i = 0; i < data.networks.size(); ++i) {
            if (seed == 1 || !data.networks[i].seeded)
                plan.cells.push_back(network_cell(data.networks[i], preset, seed, lower_bounds[i]));
        }
    }
    for (const StreamData& stream : data.streams)
        plan.glossary.emplace_back(stream.name, compare_command(stream.settings));
    for (const NetworkData& network : data.networks) {
        RouteSettings settings = network.settings;
        if (!network.link_json.empty()) settings.network = "(" + network.link_json + " as CSV)";
        plan.glossary.emplace_back(network.name, route_command({network.name, settings}));
    }
    for (const RouteEntry& entry : route_entries(preset))
        plan.glossary.emplace_back("networks, " + entry.name, entry.text);
    return plan;
}

StudyPlan plan_defaults_on(const LearnSettings& settings, StudyPreset preset, Index seeds) {
    if (std::find(settings.data.begin(), settings.data.end(), "-") != settings.data.end())
        throw ConfigError("data = '-': the study reads the data several times; give a file");
    const std::string name = fmt::format(
        "{}, {}", std::filesystem::path(settings.data.front()).filename().string(), settings.loss);
    StudyPlan plan;
    describe(plan, {{name, DataUse::user, false, most_rows(preset)}}, preset);
    // Read once, before the folder is made: a row that cannot be read is reported at once.
    const auto comparison = std::make_shared<std::unique_ptr<const StreamComparison>>();
    plan.check = [=] {
        *comparison = std::make_unique<const StreamComparison>(settings, most_rows(preset));
        if ((*comparison)->prefix() == 0)
            throw ConfigError(fmt::format("data = '{}': {} rows are too few; the study needs 10 or more",
                                          settings.data.front(), (*comparison)->rounds()));
    };
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        plan.cells.push_back({fmt::format("{}, seed {}", name, seed),
                              [=](StopFlag stop, const std::function<void(Real)>& on_share) {
                                  return run_stream_cell(**comparison, name, preset, seed, stop, on_share);
                              }});
    }
    plan.glossary.emplace_back(name, compare_command(settings));
    return plan;
}

}  // namespace proxstream
