#include "run/row_model.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/violations.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace proxstream {
namespace {

std::string describe_lags(const std::vector<Index>& lags) {
    std::string list;
    for (const Index lag : lags) list += (list.empty() ? "lags " : ",") + std::to_string(lag);
    return list.empty() ? "no lags" : list;
}

using Require = std::function<void(bool holds, const std::string& what)>;

bool has(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string joined(const std::vector<std::string>& names) {
    std::string text;
    for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
    return text;
}

std::string holds(ColumnKind kind) {
    return kind == ColumnKind::number ? "numbers" : kind == ColumnKind::text ? "text" : "times";
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

/// The options that say what the columns of a table hold, against the columns of the model.
void check_columns(const TableState& table, const Model& model, const RowSettings& settings,
                   const Require& require) {
    const auto find = [&](const std::string& name) {
        return std::find_if(table.columns.begin(), table.columns.end(),
                            [&](const TableColumn& column) { return column.name == name; });
    };
    const auto check_kind = [&](const char* option, const std::vector<std::string>& names, ColumnKind kind) {
        for (const std::string& name : names)
            require(find(name) != table.columns.end() && find(name)->kind == kind,
                    std::string("--") + option + " " + name + ": " +
                        (find(name) == table.columns.end()
                             ? "the model has no such column"
                             : "the column of the model holds " + holds(find(name)->kind)));
    };
    check_kind("text", settings.text, ColumnKind::text);
    check_kind("time", settings.time, ColumnKind::time);
    for (const std::string& name : settings.ignore)
        require(find(name) == table.columns.end(), "--ignore " + name + ": the model needs this column");
    for (const std::string& name : settings.features)
        require(find(name) != table.columns.end(), "--features: the model has no column '" + name + "'");
    for (const TableColumn& column : table.columns) {
        require(settings.features.empty() || has(settings.features, column.name) ||
                    has(model.past_only, column.name),
                "--features: the model needs the column '" + column.name + "', too");
        require(column.kind != ColumnKind::text || table.hash_bits > 0 || settings.categories == 0 ||
                    column.slots == settings.categories,
                "--categories " + std::to_string(settings.categories) + ": the model has " +
                    std::to_string(column.slots) + " for '" + column.name + "'");
    }
    require(settings.hash == 0 || settings.hash == table.hash_bits,
            "--hash " + std::to_string(settings.hash) + ": the model has " +
                (table.hash_bits == 0 ? "no hashed text" : std::to_string(table.hash_bits) + " bits"));
}

}  // namespace

void check_given(const Model& model, const RowSettings& settings) {
    std::vector<std::string> violations;
    const auto require = [&](bool holds, const std::string& what) {
        if (!holds) violations.push_back("start = " + settings.start + ": " + what);
    };
    require(settings.classes.empty() || settings.classes == model.classes,
            "--classes " + joined(settings.classes) + ": the model has " +
                (model.classes.empty() ? "no names of classes" : "the classes " + joined(model.classes)));
    require(!settings.raw || !model.standardiser, "--raw: the features of the model are standardised");
    if (model.table) check_columns(*model.table, model, settings, require);
    if (!violations.empty()) throw ConfigError(violations);
}

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
