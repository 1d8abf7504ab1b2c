/// The study of the default: its data sets, which of them were used to choose it, and its table.
#pragma once

#include "studies/route_streams.hpp"
#include "studies/study.hpp"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace proxstream {

/// The use of a data set during the development of the default.
enum class DataUse : std::uint8_t {
    choices,  // used to choose members, budgets and constants
    test,     // not used for choices
    user,     // given by the user
};

/// Rows and a loss.
struct RowData {
    std::string name;  // "ETTh1, robust"
    DataUse use = DataUse::test;
    LearnSettings settings;
};

/// A network, its demand and a cost: "pod a, delay".
struct NetworkData : RoutePlan {
    DataUse use = DataUse::test;
};

struct DefaultsData {
    std::vector<RowData> rows;
    std::vector<NetworkData> networks;
    std::vector<std::string> skipped;  // data sets whose files are missing, a line each
};

/// All data sets of the preset. The quick preset has small built-in ones only.
DefaultsData defaults_data(StudyPreset preset);

// The table that `study defaults` prints, with a row for each data set, and a verdict over the rows.

inline constexpr const char* kDefault = "default";
inline constexpr const char* kMiddleWindow = "window 64";
inline constexpr const char* kAdagrad = "adagrad";
inline constexpr const char* kStatic = "static, known beforehand";
inline constexpr const char* kRounds = "rounds";  // scored

struct DataFacts {
    std::string name;
    DataUse use = DataUse::test;
    bool network = false;
    Index most_rows = 0;  // after which a stream is cut; 0: never
};

/// Of the default, of window 64 and of AdaGrad.
using ThreeFigures = std::array<Real, 3>;

struct DefaultsRow {
    DataFacts facts;
    Index rounds = 0;
    bool cut = false;
    std::string best_window;
    Real best_window_loss = 0;  // of networks: total cost over that of the clairvoyant
    Real over_window = 0;       // loss of the default above it, per cent
    std::string best_rival;
    Real over_rival = 0;             // likewise
    std::optional<Real> over_later;  // above the best rival after the first periods; streams: none
    std::optional<Real> spread;      // of the default's seeds, per cent of the best; one seed: none
    ThreeFigures gradients{};        // a round; not measured: 0
    ThreeFigures microseconds{};
};

/// nullopt if the default or all fixed windows are missing.
std::optional<DefaultsRow> summarise(const ResultTable& table, const DataFacts& facts);

/// The number of data sets on which the default is close to the best rival, and its cost.
struct DefaultsVerdict {
    Index count = 0;
    Index within_one = 0;  // at most 1 % above the best rival in hindsight
    Index within_three = 0;
    Index within_three_of_window = 0;  // the same for the best fixed window
    DefaultsRow worst;
    Real mean_over_rival = 0;  // per cent, from the geometric mean of the ratios
    Real time_of_window = 0;   // time over that of window 64, geometric mean; 0: not measured
    Real time_of_adagrad = 0;
};
DefaultsVerdict verdict(std::span<const DefaultsRow> rows);
/// One line; empty if there are no such data.
std::string to_text(const DefaultsVerdict& verdict);

/// The table and the verdict lines, as Markdown.
std::string defaults_markdown(const std::vector<DefaultsRow>& rows);

}  // namespace proxstream
