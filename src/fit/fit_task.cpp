#include "fit/fit_task.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/linalg.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "core/checksum.hpp"
#include "core/stopwatch.hpp"
#include "loss/loss_table.hpp"
#include "offline/sampler.hpp"
#include "run/checked_reader.hpp"
#include "run/learn_settings.hpp"
#include "run/prediction_file.hpp"
#include "run/row_model.hpp"
#include "run/settings_reader.hpp"

#include <utility>

namespace proxstream {
namespace {

ProblemOptions problem_options(const FitSettings& settings) {
    return {.smoothness = settings.smoothness,
            .reference_step = number_or_auto("step", settings.step).value_or(0),
            .seed = settings.seed};
}

}  // namespace

FitTask::FitTask(const FitSettings& settings, StopFlag stop) : settings_(settings) {
    validate(settings_);
    if (is_sampler(settings_)) {
        expectation();
        return;
    }
    if (settings_.start != "zeros") {
        const Model model = load_model(settings_.start);
        check_given(model, settings_);
        settings_.table = model.table;
        if (settings_.label.empty() && model.table) settings_.label = model.label;
        if (settings_.classes.empty()) settings_.classes = model.classes;
    }
    RowBlock rows = read_rows(stop);
    Checksum seen;
    rows.add_to(seen);
    checksum_ = seen.value();
    sum_over_rows(std::move(rows));
}

std::unique_ptr<RowReader> FitTask::open_data(StopFlag stop) const {
    return std::make_unique<CheckedReader>(open_reader(settings_, 1, stop), settings_.standardise,
                                           settings_.standardise_label);
}

RowBlock FitTask::read_rows(StopFlag stop) {
    const Stopwatch watch(reading_seconds_);
    reader_ = open_data(stop);
    RowBlock rows(reader_->sparse());
    for (;;) {
        try {
            if (!reader_->read_row(rows)) break;
        } catch (const DamagedFile&) {
            throw;
        } catch (const DataError& error) {
            if (settings_.on_bad_row != "skip") throw;
            ++bad_rows_;
            last_bad_row_ = error.what();
        }
        if (stop != nullptr && *stop) throw Error("interrupted while reading; nothing was changed");
    }
    if (rows.rows() == 0) {
        throw DataError({.source = reader_->source(), .line = 0, .column = 0, .field = ""},
                        bad_rows_ > 0 ? "has no row that can be read: " + last_bad_row_ : "has no rows",
                        "at least one");
    }
    return rows;
}

/// The place of a row in the data, found by reading them again up to it, if that is possible.
DataLocation FitTask::location_of(Index row) const {
    DataLocation where{.source = reader_->source(), .line = 0, .column = 0, .field = ""};
    if (settings_.data.empty() || settings_.data.front() == "-") return where;
    const auto again = open_data(nullptr);
    RowBlock rows(again->sparse());
    for (Index met = 0; met <= row;) {
        try {
            rows.clear();
            if (!again->read_row(rows)) return where;
            ++met;
        } catch (const DataError&) {
            continue;  // the first pass skipped it, too
        }
    }
    where.source = again->source();
    where.line = again->line();
    return where;
}

/// Standardises by the statistics of all rows, since offline nothing is predicted before it is seen. A model
/// to continue from has its own statistics.
void FitTask::standardise(RowBlock& rows) {
    if (settings_.standardise) {
        FeatureScale scale = standardiser_ ? FeatureScale(*reader_, *standardiser_) : FeatureScale(*reader_);
        if (!standardiser_) {
            for (Index row = 0; row < rows.rows(); ++row) scale.count(rows, row);
            standardiser_ = scale.statistics();
        }
        scale.apply(rows, FeatureScale::Use::as_is);
    }
    labels_.assign(rows.targets().begin(), rows.targets().end());
    if (settings_.standardise_label) {
        const auto label = [&](Index row) { return ConstView(rows.targets()).subspan(row, 1); };
        if (!label_scale_) {
            label_scale_.emplace(1);
            for (Index row = 0; row < rows.rows(); ++row) label_scale_->update(label(row));
        }
        for (Index row = 0; row < rows.rows(); ++row) {
            Real scaled = 0;
            label_scale_->transform(label(row), {&scaled, 1});
            rows.set_target(row, scaled);
        }
    }
}

void FitTask::sum_over_rows(RowBlock rows) {
    survey_ = survey_data(rows, reader_->features(), reader_->feature_names());
    const RowShape shape{.features = reader_->features(),
                         .intercept = settings_.intercept,
                         .classes = settings_.classes.size(),
                         .largest = largest_values(rows, reader_->features())};
    settings_.loss = complete_loss(settings_.loss, shape);
    const std::shared_ptr<const PassFamily> family = parse_loss(settings_.loss, shape);
    for (Index row = 0; row < rows.rows(); ++row) {
        if (const std::string problem = family->row_problem(rows, row); !problem.empty())
            throw DataError(location_of(row), problem,
                            "a row that the loss '" + settings_.loss + "' can use");
    }
    const std::vector<Index> lags = lags_of(settings_, 1);
    AnyRegulariser g = regulariser_of(settings_, *family);
    std::vector<Real> start(family->dimension());
    if (settings_.start == "zeros") {
        family->start(start, settings_.seed);
    } else {
        Model model = starting_model(settings_, lags, *reader_, *family);
        start = std::move(model.x);
        standardiser_ = std::move(model.standardiser);
        label_scale_ = std::move(model.label_scale);
    }
    standardise(rows);
    const Stopwatch watch(constants_seconds_);
    rows_ = std::make_shared<RowSum>(family, std::move(rows));
    problem_ = make_offline_problem(rows_, std::move(g), std::move(start), problem_options(settings_));
}

void FitTask::expectation() {
    const Stopwatch watch(constants_seconds_);
    const std::string text = settings_.data.front().substr(kSamplerPrefix.size());
    Sampler sampler = parse_sampler(text, settings_.seed);
    if (settings_.start != "zeros") sampler.start = load_model(settings_.start).x;
    problem_ = make_offline_problem(std::move(sampler.loss), parse_regulariser(settings_.reg),
                                    std::move(sampler.start), problem_options(settings_));
}

Model FitTask::model_at(ConstView x, std::uint64_t iterations) const {
    Model model;
    if (reader_ != nullptr) {
        model = model_of(settings_, lags_of(settings_, 1), *reader_);
        model.standardiser = standardiser_;
        model.label_scale = label_scale_;
    } else {
        model.loss = settings_.data.front();
        model.regulariser = settings_.reg;
        model.intercept = false;
        model.feature_count = x.size();
    }
    model.rounds = iterations;
    model.x.assign(x.begin(), x.end());
    return model;
}

std::vector<Real> FitTask::predict(ConstView x) const {
    std::vector<Real> predictions(rows_->rows().rows());
    Scratch scratch;
    for (Index row = 0; row < predictions.size(); ++row) {
        predictions[row] = rows_->family().predict(rows_->rows(), row, x, scratch);
        if (label_scale_) {
            predictions[row] = label_scale_->state().mean[0] + label_scale_->deviation(0) * predictions[row];
        }
    }
    return predictions;
}

std::string FitTask::prediction_file(ConstView x) const {
    const RowFamily& family = rows_->family();
    const TargetKind kind = family.target_kind();
    const PredictionFormat format{.kind = kind,
                                  .classes = settings_.classes,
                                  .class_count = kind == TargetKind::sign ? 2 : family.classes(),
                                  .probabilities = family.has_probabilities(),
                                  .negative = reader_->negative_label()};
    std::vector<Real> probabilities(format.probabilities ? format.class_count : 0);
    std::string text = format.header();
    Scratch scratch;
    const std::vector<Real> predictions = predict(x);
    for (Index row = 0; row < predictions.size(); ++row) {
        if (format.probabilities) family.probabilities(rows_->rows(), row, x, probabilities, scratch);
        format.append(text, std::to_string(row + 1),
                      {.value = predictions[row], .label = labels_[row], .probabilities = probabilities});
    }
    return text;
}

}  // namespace proxstream
