/// The data that the default is measured on, and which of them were used to choose it.
#pragma once

#include "route/route_settings.hpp"
#include "run/learn_settings.hpp"
#include "study/study.hpp"

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
struct StreamData {
    std::string name;  // "ETTh1, robust"
    DataUse use = DataUse::test;
    LearnSettings settings;
};

/// A network, its demand and a cost.
struct NetworkData {
    std::string name;  // "pod a, delay"
    DataUse use = DataUse::test;
    RouteSettings settings;
    bool seeded = false;  // settings.seed makes the demand too, so that there is one draw only
    std::string link_json =
        {};  // node-link JSON that the links come from; empty: settings.network names them
};

struct DefaultsData {
    std::vector<StreamData> streams;
    std::vector<NetworkData> networks;
    std::vector<std::string> skipped;  // data sets whose files are missing, a line each
};

/// All that are known. The quick preset has small built-in ones only.
DefaultsData defaults_data(StudyPreset preset);

/// At most so many records of a stream are used.
Index most_rows(StudyPreset preset);

}  // namespace proxstream
