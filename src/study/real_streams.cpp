#include "study/real_streams.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

std::filesystem::path data_folder() {
    const char* given = std::getenv("PROXSTREAM_DATA");
    return given != nullptr && *given != '\0' ? given : "../shared/data";
}

namespace {

RealStream electricity() {
    LearnSettings settings;
    settings.label = "class";
    settings.standardise = true;
    settings.loss = "logistic";
    settings.reg = "l2sq:0.001";
    return {"electricity", "streams/electricity.csv", settings};
}

/// What all forecasts share: features and label in running units, so that the c = 1 of the robust loss is one
/// deviation of the label, and a trace of L1.
LearnSettings forecast() {
    LearnSettings settings;
    settings.standardise = true;
    settings.standardise_label = true;
    settings.loss = "cauchy";
    settings.reg = "l1:0.0001";
    return settings;
}

RealStream transformer() {
    LearnSettings settings = forecast();
    settings.label = "OT";
    settings.ignore = {"date"};
    settings.lags = {"1..3", "24"};
    settings.lag_columns = {"OT", "HUFL", "HULL", "MUFL", "MULL", "LUFL", "LULL"};
    return {"ETTh1", "streams/ETTh1.csv", settings};
}

RealStream taxi() {
    LearnSettings settings = forecast();
    settings.label = "value";
    settings.ignore = {"timestamp"};
    settings.lags = {"1..8", "48", "336"};
    return {"taxi", "streams/nyc_taxi.csv", settings};
}

RealStream approval() {
    LearnSettings settings = forecast();
    settings.label = "five_thirty_eight";
    settings.ignore = {"ordinal_date"};
    return {"approval", "streams/trump_approval.csv.gz", settings};
}

RealStream with_errors(RealStream stream) {
    stream.name += ", 5 % errors";
    stream.settings.corrupt = {"0.05"};
    return stream;
}

/// A method whose text has a place for its step.
Racer stepped(std::string name, const std::string& text, const std::vector<Real>& steps,
              const std::vector<std::pair<std::string, Real>>& knobs = {}) {
    Racer racer{std::move(name), {}};
    for (const Real step : steps) {
        Candidate& candidate = racer.candidates.emplace_back();
        candidate.learner = fmt::format(fmt::runtime(text), format_short(step));
        candidate.knobs = knobs;
        candidate.knobs.emplace_back("step", step);
    }
    return racer;
}

/// Constant and falling steps are candidates alike: who knows whether a stream drifts?
Racer prox_sgd(const std::string& name, const std::string& arguments) {
    const std::vector<Real> steps{0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
    Racer racer = stepped(name, "prox-sgd:{},power=0" + arguments, steps, {{"power", 0}});
    const Racer falling = stepped(name, "prox-sgd:{},power=0.5" + arguments, steps, {{"power", 0.5}});
    racer.candidates.insert(racer.candidates.end(), falling.candidates.begin(), falling.candidates.end());
    return racer;
}

}  // namespace

std::vector<RealStream> real_streams() {
    std::vector<RealStream> streams{electricity(), transformer(),       with_errors(transformer()),
                                    taxi(),        with_errors(taxi()), approval()};
    for (RealStream& stream : streams) stream.settings.data = {(data_folder() / stream.file).string()};
    return streams;
}

void check_data(const std::vector<RealStream>& streams) {
    std::vector<std::string> missing;
    for (const RealStream& stream : streams) {
        const std::string& path = stream.settings.data.front();
        const std::string violation = "data = '" + path + "': there is no such file";
        if (std::filesystem::exists(path) || std::count(missing.begin(), missing.end(), violation) > 0)
            continue;
        missing.push_back(violation);
    }
    if (missing.empty()) return;
    missing.emplace_back("this study needs real streams: say where they are with PROXSTREAM_DATA=FOLDER");
    throw ConfigError(missing);
}

std::vector<Index> fixed_windows(StudyPreset preset) {
    return preset == StudyPreset::full ? std::vector<Index>{1, 4, 16, 64, 256, 1024}
                                       : std::vector<Index>{4, 16, 64};
}

std::string fixed_name(Index window) {
    return fmt::format("fixed {}", window);
}

std::vector<Racer> real_racers(StudyPreset preset) {
    const std::string replay = ",replay=16,window=256";
    const std::vector<Real> adaptive{0.003, 0.01, 0.03, 0.1, 0.3, 1, 3};
    std::vector<Racer> all{{kBank, {{"bank", {}}}}, {"bank, no cross-start", {{"bank:cross=no", {}}}}};
    for (const Index window : fixed_windows(preset)) {
        all.push_back({fixed_name(window), {{fmt::format("time-smoothed:window={}", window), {}}}});
    }
    Racer re_solve{"re-solve", {}};
    for (const Index window : {Index{16}, Index{64}, Index{256}}) {
        re_solve.candidates.push_back(
            {fmt::format("re-solve:window={}", window), {{"window", static_cast<Real>(window)}}});
    }
    all.push_back(re_solve);
    all.push_back(stepped("full history", "full-history:{}", {0.01, 0.03, 0.1, 0.3, 1}));
    all.push_back(prox_sgd("prox-sgd", ""));
    all.push_back(prox_sgd("prox-sgd, replay 16", replay));
    all.push_back(stepped("adagrad", "adagrad:{}", adaptive));
    all.push_back(stepped("adagrad, replay 16", "adagrad:{}" + replay, adaptive));
    all.push_back(stepped("adam", "adam:{}", {0.0003, 0.001, 0.003, 0.01, 0.03, 0.1}));
    return all;
}

}  // namespace proxstream
