#include "run/row_model.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/violations.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {
namespace {

std::string describe_lags(const std::vector<Index>& lags) {
    std::string list;
    for (const Index lag : lags) list += (list.empty() ? "lags " : ",") + std::to_string(lag);
    return list.empty() ? "no lags" : list;
}

/// Only a run of the same shape can continue from a model.
void check_fits(const Model& model, const RowSettings& settings, const std::vector<Index>& lags,
                const RowReader& reader, const RowFamily& family) {
    Violations violations;
    const auto require = [&](bool holds, const std::string& what) {
        violations.require(holds, "start = {}: {}", settings.start, what);
    };
    require(model.loss == settings.loss,
            "the model was learned with loss '" + model.loss + "', not '" + settings.loss + "'");
    require(model.intercept == settings.intercept, "the model and the settings disagree about the intercept");
    require(model.feature_count == reader.features(), "the model has " + std::to_string(model.feature_count) +
                                                          " features, the data " +
                                                          std::to_string(reader.features()));
    // Hashed features come after the others, and have no names.
    const std::vector<std::string>& names = reader.feature_names();
    require(names.empty() || (model.features.size() <= names.size() &&
                              std::equal(model.features.begin(), model.features.end(), names.begin())),
            "the model's features have other names than the data's");
    require(model.x.size() == family.dimension(), "the model has " + std::to_string(model.x.size()) +
                                                      " numbers, this run needs " +
                                                      std::to_string(family.dimension()));
    require(model.standardiser.has_value() == scales(settings, reader),
            "the model and the settings disagree about standardisation");
    require(model.label_scale.has_value() == settings.standardise_label,
            "the model and the settings disagree about the standardisation of the label");
    require(model.normalise == settings.normalise,
            "the model and the settings disagree about normalised rows");
    require(model.lags == lags,
            "the model was learned with " + describe_lags(model.lags) + ", not " + describe_lags(lags));
    violations.conclude();
}

}  // namespace

bool scales(const RowSettings& settings, const RowReader& reader) {
    return settings.standardise || (settings.scales_tables && !settings.raw && reader.table().has_value());
}

AnyRegulariser regulariser_of(const RowSettings& settings, const RowFamily& family) {
    AnyRegulariser g = parse_regulariser(settings.reg);
    Violations violations;
    violations.collect("reg = " + settings.reg, [&] { g.check_dimension(family.penalised()); });
    violations.conclude();
    return on_first(std::move(g), family.penalised(), family.dimension());
}

Model starting_model(const RowSettings& settings, const std::vector<Index>& lags, const RowReader& reader,
                     const RowFamily& family) {
    Model model = load_model(settings.start);
    check_fits(model, settings, lags, reader, family);
    return model;
}

Model model_of(const RowSettings& settings, const std::vector<Index>& lags, const RowReader& reader) {
    Model model;
    model.loss = settings.loss;
    model.regulariser = settings.reg;
    model.intercept = settings.intercept;
    model.features = reader.feature_names();
    model.feature_count = reader.features();
    model.classes = settings.classes;
    model.normalise = settings.normalise;
    model.lags = lags;
    model.lag_columns = settings.lag_columns;
    for (const std::string& column : settings.lag_columns) {
        const auto& features = settings.features;
        if (std::find(features.begin(), features.end(), column) == features.end())
            model.past_only.push_back(column);
    }
    model.past = reader.past();
    model.label = reader.label_name();
    model.table = reader.table();
    return model;
}

}  // namespace proxstream
