#include "run/model_weights.hpp"

#include "proxstream/core/error.hpp"

#include "loss/pass_family.hpp"
#include "loss/softmax_family.hpp"
#include "run/table_encoder.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

struct FeatureKind {
    std::string name;
    bool quantity = true;  // has a scale, as opposed to a mark
};

/// The features of a table's columns, in the order of the encoder.
std::vector<FeatureKind> table_features(const TableState& table) {
    const TableEncoder encoder(table, false);
    std::vector<FeatureKind> features;
    for (Index i = 0; i < encoder.names().size(); ++i)
        features.push_back({encoder.names()[i], encoder.is_quantity(i)});
    for (Index i = 0; i < table.columns.size() && !encoder.sparse(); ++i) {
        const TableColumn& column = table.columns[i];
        if (column.kind != ColumnKind::text) continue;
        for (Index slot = 0; slot < column.values.size(); ++slot) {
            const std::string& value = column.values[slot];
            features[encoder.place(i) + slot].name =
                column.name + '=' + (value.empty() ? "(missing)" : value);
        }
        features[encoder.place(i) + column.slots - 1].name = column.name + "=(other)";
    }
    return features;
}

std::vector<FeatureKind> features_of(const Model& model) {
    std::vector<FeatureKind> features;
    if (model.table) {
        features = table_features(*model.table);
    } else {
        for (const std::string& name : model.features) features.push_back({name});
        if (!model.features.empty()) return features;
        for (Index i = 1; i <= model.feature_count; ++i) features.push_back({"feature " + std::to_string(i)});
        return features;
    }
    const auto& past = model.past_only;
    std::erase_if(features, [&](const FeatureKind& each) {
        return std::find(past.begin(), past.end(), each.name) != past.end();
    });
    const auto add_past = [&](const std::string& column) {
        for (const Index lag : model.lags) features.push_back({column + "[-" + std::to_string(lag) + "]"});
    };
    if (model.lag_columns.empty()) add_past(model.label);
    for (const std::string& column : model.lag_columns) add_past(column);
    return features;
}

/// Undoes the scaling of features that one score was made with.
LinearScore unscaled(const Model& model, const std::vector<FeatureKind>& features, ConstView weights) {
    LinearScore score;
    Index quantity = 0;
    Real shift = 0;
    for (Index i = 0; i < features.size(); ++i) {
        FeatureWeight each{features[i].name, weights[i]};
        if (model.standardiser && features[i].quantity) {
            const Real deviation = model.standardiser->deviation(quantity);
            // A column that was constant is 0 in every row.
            each.weight = deviation > 0 ? weights[i] / deviation : 0;
            each.deviation = deviation;
            shift -= each.weight * model.standardiser->state().mean[quantity];
            ++quantity;
        }
        score.features.push_back(std::move(each));
    }
    if (model.intercept || model.standardiser) score.intercept = shift;
    return score;
}

/// Undoes the scaling of the label, which a score predicts.
void restore_label(LinearScore& score, const Standardiser& label) {
    const Real deviation = label.deviation(0);
    for (FeatureWeight& each : score.features) each.weight *= deviation;
    score.intercept = label.state().mean[0] + deviation * score.intercept.value_or(0);
}

Index linear_scores(const RowFamily& family) {
    if (dynamic_cast<const SoftmaxFamily*>(&family) != nullptr) return family.classes();
    const auto* pass = dynamic_cast<const PassFamily*>(&family);
    return pass != nullptr && pass->of_scores() ? 1 : 0;
}

}  // namespace

Real FeatureWeight::influence() const {
    return std::abs(weight) * deviation.value_or(1);
}

std::vector<LinearScore> scores_in_data_units(const Model& model, const RowFamily& family) {
    const Index count = linear_scores(family);
    const std::vector<FeatureKind> features = features_of(model);
    const auto quantities = static_cast<Index>(std::count_if(
        features.begin(), features.end(), [](const FeatureKind& each) { return each.quantity; }));
    if (features.size() != model.feature_count || model.x.size() != family.dimension() ||
        (model.standardiser && model.standardiser->features() != quantities))
        throw ConfigError("the model's weights, features and statistics do not fit together");
    std::vector<LinearScore> scores;
    const ConstView x = model.x;
    for (Index k = 0; k < count; ++k) {
        scores.push_back(unscaled(model, features, x.subspan(k * features.size(), features.size())));
        LinearScore& score = scores.back();
        const Index intercept = count * features.size() + k;
        if (intercept < x.size()) score.intercept = score.intercept.value_or(0) + x[intercept];
        if (model.label_scale) restore_label(score, *model.label_scale);
    }
    return scores;
}

}  // namespace proxstream
