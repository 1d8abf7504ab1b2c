#include "proxstream/core/error.hpp"

#include "app/show.hpp"
#include "core/parse_json.hpp"
#include "core/text_lines.hpp"
#include "io/output_file.hpp"
#include "io/row_splitter.hpp"
#include "loss/loss_table.hpp"
#include "run/model_weights.hpp"

#include <algorithm>
#include <memory>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

constexpr Index kListed = 30;
constexpr Index kValuesListed = 8;
constexpr int kNameWidth = 34;

/// A line of the description, broken at 80 columns.
void print_fact(std::string_view name, const std::string& text) {
    constexpr std::size_t kIndent = 13;
    if (!text.empty()) fmt::print("  {:<10} {}\n", name, wrapped(text, kIndent));
}

/// The first names of a list, and how many more there are.
std::string listed(const std::vector<std::string>& names, Index most = kValuesListed) {
    const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(most, names.size()));
    std::string text = fmt::format("{}", fmt::join(names.begin(), end, ", "));
    if (names.size() > most) text += fmt::format(" and {} more", names.size() - most);
    return text;
}

/// Null: the program does not know the loss, which a plugin or a sampler made.
std::unique_ptr<RowFamily> family_of(const Model& model) {
    try {
        return parse_loss(model.loss, RowShape{.features = model.feature_count,
                                               .intercept = model.intercept,
                                               .classes = model.classes.size()});
    } catch (const ConfigError&) {
        return nullptr;
    }
}

std::string predicted(const Model& model, const RowFamily& family) {
    const std::string label = model.label.empty() ? "the label" : model.label;
    switch (family.target_kind()) {
        case TargetKind::number:
            if (model.labels.low > model.labels.high || !model.lags.empty()) return label + ", a number";
            return fmt::format("{}, a number, clipped to the labels seen: {:.6g} to {:.6g}", label,
                               model.labels.low, model.labels.high);
        case TargetKind::sign:
            if (model.classes.size() != 2) return label + ", one of two classes";
            return fmt::format("{}: {} if the score is below 0, else {}", label, model.classes[0],
                               model.classes[1]);
        case TargetKind::category:
            return fmt::format("{}, one of {} classes{}", label, family.classes(),
                               model.classes.empty() ? "" : ": " + listed(model.classes));
        default:
            return "nothing; rows have a score";
    }
}

std::string columns_of(const TableState& table) {
    std::string text;
    for (const TableColumn& column : table.columns) {
        text += (text.empty() ? "" : "; ") + column.name;
        if (column.kind == ColumnKind::time) text += " (time)";
        if (column.kind == ColumnKind::text && table.hash_bits > 0) text += " (text, hashed)";
        if (column.kind != ColumnKind::text || table.hash_bits > 0) continue;
        std::vector<std::string> values = column.values;
        for (std::string& value : values)
            if (value.empty()) value = "(missing)";
        text += fmt::format(" (text: {})", listed(values));
    }
    return text;
}

std::string lags_of(const Model& model) {
    if (model.lags.empty()) return {};
    std::vector<std::string> lags;
    for (const Index lag : model.lags) lags.push_back(std::to_string(lag));
    return fmt::format("{} rows ago, of {}", listed(lags, 2 * kValuesListed),
                       model.lag_columns.empty() ? model.label : listed(model.lag_columns));
}

void print_making(const std::string& path, const Model& model, const RowFamily* family) {
    fmt::print("{}: model of {} + {}\n", path, model.loss, model.regulariser);
    // Models of `learn` say that rows count before they are scaled.
    print_fact("made by",
               fmt::format("{} {}", model.rounds, model.running ? "rounds of learn" : "iterations of fit"));
    if (family != nullptr) print_fact("predicts", predicted(model, *family));
    if (model.table) print_fact("columns", columns_of(*model.table));
    print_fact("features",
               fmt::format("{}{}", model.feature_count, model.intercept ? ", and an intercept" : ""));
    print_fact("lags", lags_of(model));
    if (model.normalise) print_fact("rows", "divided by their length first; weights are for such rows");
    if (model.standardiser) {
        print_fact("scaling",
                   fmt::format("features by mean and deviation of {} rows; marks of texts, and times, are "
                               "left as they are",
                               model.standardiser->state().count));
    }
    if (model.label_scale) {
        print_fact("label", fmt::format("scaled by mean {:.6g} and deviation {:.6g}",
                                        model.label_scale->state().mean[0], model.label_scale->deviation(0)));
    }
    const auto used = model.x.size() - static_cast<Index>(std::count(model.x.begin(), model.x.end(), 0.0));
    print_fact("weights", fmt::format("{}, of which {} are not 0", model.x.size(), used));
}

/// The features of a score, the most influential first.
std::vector<FeatureWeight> sorted(std::vector<FeatureWeight> features) {
    std::stable_sort(features.begin(), features.end(), [](const FeatureWeight& a, const FeatureWeight& b) {
        return a.influence() > b.influence();
    });
    return features;
}

std::string cut(const std::string& name, std::size_t width) {
    if (name.size() <= width) return name;
    std::size_t end = width - 3;
    while (end > 0 && (static_cast<unsigned char>(name[end]) & 0xc0U) == 0x80U) --end;  // within a character
    return name.substr(0, end) + "...";
}

void print_score(const LinearScore& score, Index most) {
    const std::vector<FeatureWeight> features = sorted(score.features);
    const auto used = static_cast<Index>(std::count_if(
        features.begin(), features.end(), [](const FeatureWeight& each) { return each.weight != 0; }));
    fmt::print("  {:<{}} {:>13} {:>13} {:>13}\n", "feature", kNameWidth, "weight", "deviation", "influence");
    const auto line = [](const std::string& name, Real weight, const std::string& deviation,
                         const std::string& influence) {
        fmt::print("  {:<{}} {:>13.6g} {:>13} {:>13}\n", cut(name, kNameWidth), kNameWidth, weight, deviation,
                   influence);
    };
    // Features without a weight say nothing.
    const Index shown = std::min(most, used);
    for (const FeatureWeight& each : std::span(features).first(shown)) {
        line(each.name, each.weight, each.deviation ? fmt::format("{:.6g}", *each.deviation) : "-",
             fmt::format("{:.6g}", each.influence()));
    }
    if (score.intercept) fmt::print("  {:<{}} {:>13.6g}\n", "(intercept)", kNameWidth, *score.intercept);
    if (shown < used) fmt::print("  and {} more with a weight; --all lists them\n", used - shown);
    if (used < features.size()) fmt::print("  {} features have no weight\n", features.size() - used);
}

std::string class_name(const Model& model, Index k) {
    return k < model.classes.size() ? model.classes[k] : std::to_string(k);
}

void print_reading(const Model& model, const RowFamily& family, Index scores) {
    std::string text = scores > 1                                   ? "The score of a class is"
                       : family.target_kind() == TargetKind::number ? "A prediction is"
                                                                    : "A score is";
    text +=
        " the intercept plus the sum of weight times value; a mark, column=value, is 1 where the column has "
        "that value.";
    if (scores > 1) text += " Its probability is exp(score) divided by the sum of that of all classes.";
    if (scores == 1 && family.has_probabilities())
        text += fmt::format(" The probability of {} is 1 / (1 + exp(-score)).", class_name(model, 1));
    text += " Influence is |weight| times the deviation of the feature, or times 1 where the model has none.";
    if (model.running && model.standardiser)
        text += fmt::format(
            " A row that is predicted counts in means and deviations first, so that its prediction differs "
            "from this sum by a share of about 1/{}.",
            model.standardiser->state().count + 1);
    fmt::print("\n{}\n", wrapped(text, 0));
}

void print_weights(const Model& model, const RowFamily& family, const std::vector<LinearScore>& scores,
                   bool all) {
    const Index most = all ? model.feature_count : std::max<Index>(kListed / scores.size(), 5);
    for (Index k = 0; k < scores.size(); ++k) {
        fmt::print("\n{}\n",
                   scores.size() > 1 ? "class " + class_name(model, k) : "weights in the units of the data");
        print_score(scores[k], most);
    }
    print_reading(model, family, scores.size());
}

void print_csv(const Model& model, const std::vector<LinearScore>& scores) {
    const bool classes = scores.size() > 1;
    std::string lines =
        classes ? "class,feature,weight,deviation,influence\n" : "feature,weight,deviation,influence\n";
    const auto begin = [&](Index k, const std::string& name) {
        if (classes) {
            append_csv_field(lines, class_name(model, k));
            lines += ',';
        }
        append_csv_field(lines, name);
    };
    for (Index k = 0; k < scores.size(); ++k) {
        for (const FeatureWeight& each : scores[k].features) {
            begin(k, each.name);
            lines += fmt::format(",{},{},{}\n", each.weight,
                                 each.deviation ? fmt::format("{}", *each.deviation) : "", each.influence());
        }
        if (!scores[k].intercept) continue;
        begin(k, "(intercept)");
        lines += fmt::format(",{},,\n", *scores[k].intercept);
    }
    fmt::print("{}", lines);
}

}  // namespace

void show_model(const std::string& path, const ModelView& view) {
    const std::string text = read_whole_file(path);
    const auto json = parse_json(text);
    if (!json.is_object() || !json.contains("format")) {
        throw DataError({.source = path, .line = 0, .column = 0, .field = ""},
                        "neither a run store nor a model",
                        "a file that proxstream has written with --store or --save");
    }
    const Model model = parse_model(text, path);
    const std::unique_ptr<RowFamily> family = family_of(model);
    const auto scores = family ? scores_in_data_units(model, *family) : std::vector<LinearScore>();
    if (view.csv && scores.empty())
        throw ConfigError(path + ": a model of " + model.loss + " has no weights of features to list");
    if (view.csv) return print_csv(model, scores);
    print_making(path, model, family.get());
    if (!scores.empty()) return print_weights(model, *family, scores, view.all);
    const char* why = family ? "Its loss is not one of linear scores: a single weight says nothing about a "
                               "feature."
                             : "This program does not know its loss, so no weights are shown; a loss of your "
                               "own needs --plugin.";
    fmt::print("\n{}\n", wrapped(why, 0));
}

}  // namespace proxstream::app
