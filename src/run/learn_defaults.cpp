#include "run/learn_defaults.hpp"

#include "proxstream/core/spec.hpp"

#include "run/model_file.hpp"

namespace proxstream {
namespace {

constexpr const char* kRobustLoss = "cauchy";
constexpr const char* kRidge = "l2sq:0.001";

std::string choose_loss(LearnSettings& settings) {
    if (settings.start != "zeros") {
        const Model model = load_model(settings.start);
        settings.loss = model.loss;
        settings.standardise_label = model.label_scale.has_value();
        return "loss " + settings.loss + ": that of the model in " + settings.start;
    }
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

LearnSettings with_defaults(LearnSettings settings, std::vector<std::string>* reasons) {
    const auto say = [&](std::string reason) {
        if (reasons != nullptr) reasons->push_back(std::move(reason));
    };
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
