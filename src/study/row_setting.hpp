/// Learners by their text on rows that a study makes itself, without a file or a command line between.
#pragma once

#include "online/learner_table.hpp"
#include "regret/regret_meter.hpp"

#include <memory>
#include <string>
#include <vector>

namespace proxstream {

struct RowSetting {
    std::string loss = "squared";
    std::string reg = "zero";
    Index features = 1;   // of a linear model without intercept, started at 0
    Real step = 1;        // eta
    Real smoothness = 1;  // L
};

/// The inner loop is the paper's, with the fixed step eta, unless the text says otherwise.
std::unique_ptr<AnyLearner> make_learner(const RowSetting& setting, const std::string& text,
                                         std::uint64_t seed);
/// Residuals of a played sequence for other windows.
RegretMeter<AnyRegulariser, AnyBatch> make_meter(const RowSetting& setting,
                                                 const std::vector<Index>& windows);

}  // namespace proxstream
