/// The settings of `fit` and `compare-fit`, with their options.
#pragma once

#include "offline/fit.hpp"
#include "run/row_settings.hpp"
#include "run/run_settings.hpp"
#include "run/setting_list.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>

namespace proxstream {

struct FitSettings : RowSettings, RunSettings, ResultSettings, StoreSettings {
    // method
    std::string method = "auto";
    Real epsilon = 0;           // target for |P|; 0: none
    Real passes = 0;            // 0: no limit
    Real seconds = 0;           // likewise
    Index iterations = 0;       // likewise
    std::string step = "auto";  // eta of reported stationarity gaps
    Real smoothness = 0;        // claimed L; 0: found
    Real step_scale = 1;        // multiplies the method's own step
    std::string output = "auto";

    // referee
    Real measure = 0;  // passes between measurements; 0: the interval grows
    Index test_samples = 16'384;
    Real confidence = 0.95;

    // compare-fit
    std::vector<std::string> methods;  // empty: all that suit the problem
    std::vector<std::string> scales = {"0.1", "0.3", "1", "3", "10"};
    Index seeds = 3;
    std::vector<std::string> at;  // passes that the table shows; empty: a third of them, and all
    std::string out;              // folder

    // output
    std::string trace;
    std::string predictions;
    bool test_only = false;

    /// The options, in the order of the help.
    static std::span<const OptionRow<FitSettings>> options();
};

/// Options that only one of the two verbs has.
bool belongs_to_fit(const OptionRow<FitSettings>& row);
bool belongs_to_compare_fit(const OptionRow<FitSettings>& row);

/// Throws ConfigError with every violation.
void validate(const FitSettings& settings);

/// The options of a method; by default |P| <= 1e-6 within 1000 passes.
OfflineOptions fit_options_of(const FitSettings& settings, const std::string& method);

inline constexpr std::string_view kSamplerPrefix = "sampler:";
/// Whether the data are an expectation, `sampler:NAME`.
bool is_sampler(const RowSettings& settings);
/// The point that is the result; auto: the best of a stochastic method, the last of one whose F always
/// decreases.
std::string output_of(const FitSettings& settings);
/// The method in use; auto: panoc where f itself can be evaluated, spiderboost on expectations.
std::string method_of(const FitSettings& settings);

}  // namespace proxstream
