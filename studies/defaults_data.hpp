/// The data that the default is measured on, and which of them were used to choose it.
#pragma once

#include "studies/route_streams.hpp"
#include "studies/study.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// What a data set was used for while the default was developed.
enum class DataUse : std::uint8_t {
    choices,  // looked at when members, budgets and constants were chosen
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

/// All that are known. The quick preset has small built-in ones only.
DefaultsData defaults_data(StudyPreset preset);

}  // namespace proxstream
