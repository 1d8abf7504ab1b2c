#include "run/learn_defaults.hpp"

#include "proxstream/core/spec.hpp"

namespace proxstream {
namespace {

constexpr const char* kRobustLoss = "cauchy";
constexpr const char* kRidge = "l2sq:0.001";

std::string choose_loss(LearnSettings& settings) {
    if (!settings.forecast.empty()) {
        settings.loss = "squared";
        return "loss squared: the default beside forecast rows, whose labels are not standardised";
    }
    settings.loss = kRobustLoss;
    settings.standardise_label = true;
    return "loss cauchy on a standardised label: the default, because a few gross errors do not ruin it; "
           "--loss squared fits the mean instead";
}

}  // namespace

void adopt(const Model& model, RowSettings& settings) {
    if (settings.loss == "auto") {
        settings.loss = model.loss;
        settings.standardise_label = model.label_scale.has_value();
    }
    if (settings.reg == "auto") settings.reg = model.regulariser;
    if (settings.classes.empty()) settings.classes = model.classes;
    if (settings.label.empty()) settings.label = model.table ? model.label : "";
    settings.intercept = settings.intercept && model.intercept;
    settings.normalise = settings.normalise || model.normalise;
    settings.standardise = settings.standardise || model.standardiser.has_value();
    settings.raw = !model.standardiser.has_value();
    if (settings.lags.empty()) {
        for (const Index lag : model.lags) settings.lags.push_back(std::to_string(lag));
        settings.lag_columns = model.lag_columns;
    }
    if (settings.features.empty()) settings.table = model.table;
}

LearnSettings with_defaults(LearnSettings settings, std::vector<std::string>* reasons) {
    const auto say = [&](std::string reason) {
        if (reasons != nullptr) reasons->push_back(std::move(reason));
    };
    if (settings.start != "zeros") {
        const Model model = load_model(settings.start);
        if (settings.loss == "auto") say("loss " + model.loss + ": that of the model in " + settings.start);
        adopt(model, settings);
    }
    settings.look_ahead = settings.survey;
    if (!settings.forecast.empty()) settings.raw = true;  // forecast rows are used as they are
    if (settings.loss == "auto") say(choose_loss(settings));
    if (settings.reg == "auto") {
        const bool logistic = Spec::parse(settings.loss).name() == "logistic";
        settings.reg = logistic ? kRidge : "zero";
        if (logistic)
            say("reg l2sq:0.001: the default for logistic, because separable rows have no minimiser without "
                "one; --reg zero leaves it out");
    }
    return settings;
}

}  // namespace proxstream
