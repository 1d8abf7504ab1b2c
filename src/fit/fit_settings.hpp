/// Everything `fit` and `compare-fit` can be told, with the table that names it.
#pragma once

#include "offline/fit.hpp"
#include "run/row_settings.hpp"
#include "store/store_settings.hpp"

#include <span>
#include <string>

namespace proxstream {

struct FitSettings : RowSettings, StoreSettings {
    // method
    std::string method = "auto";
    Real epsilon = 0;           // wanted |P|; 0: none is asked for
    Real passes = 0;            // 0: no limit
    Real seconds = 0;           // likewise
    Index iterations = 0;       // likewise
    std::string step = "auto";  // eta of reported residuals
    Real smoothness = 0;        // claimed L; 0: found
    Real step_scale = 1;        // multiplies the method's own step
    std::string output = "auto";

    // referee
    Real measure = 0;  // passes between measurements; 0: as the run goes on, fewer
    Index test_samples = 16'384;
    Real confidence = 0.95;

    // run: how the work is done, nothing about its figures
    Index threads = 1;  // 0: as many as the machine has
    std::string checkpoint;
    Real checkpoint_every = 60;  // seconds
    std::string resume;

    // compare-fit
    std::vector<std::string> methods;  // empty: all that the problem allows
    std::vector<std::string> scales = {"0.1", "0.3", "1", "3", "10"};
    Index seeds = 3;
    std::vector<std::string> at;  // passes that the table shows; empty: a third of them, and all
    std::string out;              // folder

    // output
    std::string save;
    std::string trace;
    std::string predictions;
    std::string certificate_json;
    bool quiet = false;
    bool test_only = false;
};

/// The rows, in the order of the help.
std::span<const OptionRow<FitSettings>> fit_options();

/// Options that only one of the two verbs has.
bool belongs_to_fit(const OptionRow<FitSettings>& row);
bool belongs_to_compare_fit(const OptionRow<FitSettings>& row);

/// Whether figures may depend on the option: a run goes on only with the same.
bool bears_on_figures(const OptionRow<FitSettings>& row);

/// Every violation of ranges, choices and of what the parts themselves refuse, at once; throws ConfigError.
void validate(const FitSettings& settings);

/// With nothing asked for: |P| <= 1e-6 within 1000 passes.
OfflineOptions fit_options_of(const FitSettings& settings, const std::string& method);

inline constexpr std::string_view kSamplerPrefix = "sampler:";
/// Whether the data are an expectation, `sampler:NAME`.
bool is_sampler(const RowSettings& settings);
/// Which point is the result; auto: best of a stochastic method, last of one that lowers F in every step.
std::string output_of(const FitSettings& settings);
/// The method in use; auto: panoc where f itself can be evaluated, spiderboost on expectations.
std::string method_of(const FitSettings& settings);

}  // namespace proxstream
