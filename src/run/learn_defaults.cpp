#include "run/learn_defaults.hpp"

#include "proxstream/core/spec.hpp"

#include "run/row_model.hpp"

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

/// Whether the width of the loss is in units of the label, which are not known.
bool has_width(const std::string& loss) {
    return loss == "absolute" || loss == "quantile";
}

std::string choose_regulariser(LearnSettings& settings, const std::string& loss) {
    const bool separable = loss == "logistic" || loss == "softmax";
    settings.reg = separable ? kRidge : "zero";
    if (!separable) return {};
    return "reg l2sq:0.001: the default for " + loss +
           ", because separable rows have no minimiser without one; --reg zero leaves it out";
}

}  // namespace

void adopt(const Model& model, RowSettings& settings) {
    if (settings.loss == "auto") settings.loss = model.loss;
    if (settings.loss == model.loss) settings.standardise_label |= model.label_scale.has_value();
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
    settings.table = model.table;
}

LearnSettings with_defaults(LearnSettings settings, std::vector<std::string>* reasons) {
    const auto say = [&](std::string reason) {
        if (reasons != nullptr) reasons->push_back(std::move(reason));
    };
    if (settings.start != "zeros") {
        const Model model = load_model(settings.start);
        check_given(model, settings);
        if (settings.loss == "auto") say("loss " + model.loss + ": that of the model in " + settings.start);
        adopt(model, settings);
        settings.single |= model.single;
    }
    settings.look_ahead = settings.survey;
    if (!settings.forecast.empty()) settings.raw = true;  // forecast rows are used unchanged
    if (settings.loss == "auto") say(choose_loss(settings));
    const std::string loss = Spec::parse(settings.loss).name();
    if (has_width(loss) && settings.start == "zeros" && !settings.raw && !settings.standardise_label) {
        settings.standardise_label = true;
        say("label standardised: the default for " + loss +
            ", whose width is then in deviations of the label; --raw leaves label and features as they are");
    }
    if (settings.reg == "auto") {
        const std::string reason = choose_regulariser(settings, loss);
        if (!reason.empty()) say(reason);
    }
    return settings;
}

}  // namespace proxstream
