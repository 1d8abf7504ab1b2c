#include "proxstream/core/error.hpp"

#include "app/command_line.hpp"
#include "app/exit_code.hpp"
#include "app/learn_summary.hpp"
#include "app/verbs.hpp"
#include "io/output_file.hpp"
#include "io/standard_error.hpp"
#include "run/metrics.hpp"
#include "run/prediction_file.hpp"
#include "run/predictor.hpp"
#include "run/setting_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace proxstream::app {
namespace {

struct PredictSettings : RowSettings {
    Index horizon = 0;
    bool refill = false;  // lags come from the rows, not from the end of the model's training rows
    std::string predictions = "-";
    bool quiet = false;

    /// The options, in the order of the help. The first of `data` is the model.
    static std::span<const OptionRow<PredictSettings>> options();
};

/// Options of the files. The model holds the other options of rows.
constexpr std::array<std::string_view, 7> kOfFiles{"format",     "label",    "delimiter", "header",
                                                   "zero-based", "max-line", "on-bad-row"};

using PredictOption = OptionRow<PredictSettings>;
const std::array kPredictOptions{
    positional(PredictOption{"data", "d", "Data", "FILE",
                             "the model, then files of rows in order; '-' for standard input",
                             &PredictSettings::data},
               "MODEL_AND_ROWS"),
    PredictOption{"key", "", "Data", "COLUMN",
                  "name predictions by this column instead of the number of the row", &PredictSettings::key},
    PredictOption{"horizon", "", "Data", "H", "forecast H rows after the last one", &PredictSettings::horizon,
                  0, 1e9},
    PredictOption{"refill", "", "Data", "BOOL",
                  "take past values from the rows themselves; by default they continue the model's own rows",
                  &PredictSettings::refill},
    PredictOption{"predictions", "p", "Output", "FILE",
                  "write the predictions to a file instead of standard output",
                  &PredictSettings::predictions},
    PredictOption{"quiet", "q", "Output", "BOOL", "print errors only", &PredictSettings::quiet},
};

std::span<const PredictOption> PredictSettings::options() {
    static const std::vector<PredictOption> rows = [] {
        std::vector<PredictOption> kept{kPredictOptions.front()};
        for (const PredictOption& row : row_options<PredictSettings>()) {
            if (std::find(kOfFiles.begin(), kOfFiles.end(), row.name) != kOfFiles.end()) kept.push_back(row);
        }
        kept.insert(kept.end(), kPredictOptions.begin() + 1, kPredictOptions.end());
        return kept;
    }();
    return rows;
}

/// Throws ConfigError with every violation.
void check(const PredictSettings& settings) {
    Violations violations;
    check_rows(PredictSettings::options(), settings, violations);
    violations.refuse(settings.data.empty(),
                      "predict: name the model first, as in 'proxstream predict model.json rows.csv'");
    violations.refuse(settings.refill && settings.horizon > 0 && settings.data.size() == 1,
                      "refill: needs rows to fill the lags from");
    violations.conclude();
}

/// The rows of one call: predicted, written and scored.
class PredictionRun {
  public:
    explicit PredictionRun(const PredictSettings& settings)
        : settings_(settings),
          predictor_(model_of(settings), rows_of(settings), settings.horizon, stop_requested()),
          file_(OutputFile::fresh(settings.predictions)) {
        const RowFamily& family = predictor_.family();
        const TargetKind kind = family.target_kind();
        format_ = {.kind = kind,
                   .classes = predictor_.settings().classes,
                   .class_count = kind == TargetKind::sign ? 2 : family.classes(),
                   .probabilities = family.has_probabilities(),
                   .id = settings.key.empty() ? "row" : settings.key};
        metrics_ = Metrics(kind, family.classes());
    }

    void play() {
        file_.write(format_.header());
        PredictedRow row;
        while (!*stop_requested() && next(row)) {
            ++rows_;
            write(row);
            if (!std::isnan(row.label)) score(row);
        }
        file_.close();
    }

    /// What the output has after an error in the rows.
    std::string partial() const {
        if (settings_.predictions == "-") return {};
        return settings_.predictions + (file_.replaces() ? ": left as it was, because of this error"
                                                         : ": has the rows before this error");
    }

    /// To standard error, which predictions do not use.
    void print() const {
        if (settings_.quiet) return;
        for (const std::string& note : predictor_.reader().notes()) eprint("{}\n", note);
        for (const std::string& remark : predictor_.reader().remarks()) eprint("{}\n", remark);
        eprint("{} rows predicted", rows_);
        if (metrics_.rows() > 0) eprint(", {} of them with a label", metrics_.rows());
        eprint("\n");
        if (metrics_.rows() > 0) print_metrics(metrics_);
        if (bad_rows_ > 0) eprint("bad rows skipped: {}; the last one: {}\n", bad_rows_, last_bad_);
    }

  private:
    static Model model_of(const PredictSettings& settings) {
        Model model = load_model(settings.data.front());
        if (settings.refill) model.past.clear();
        return model;
    }
    static RowSettings rows_of(const RowSettings& settings) {
        RowSettings rows = settings;
        rows.data.erase(rows.data.begin());
        return rows;
    }

    bool next(PredictedRow& row) {
        while (true) {
            try {
                return predictor_.next(row);
            } catch (const DamagedFile&) {
                throw;
            } catch (const DataError& error) {
                if (settings_.on_bad_row != "skip") throw;
                ++bad_rows_;
                last_bad_ = error.what();
            }
        }
    }
    void write(const PredictedRow& row) {
        line_.clear();
        format_.negative = predictor_.reader().negative_label();
        format_.append(line_, row.key.empty() ? std::to_string(rows_) : row.key,
                       {.value = row.prediction, .label = row.label, .probabilities = row.probabilities});
        file_.write(line_);
        if (settings_.predictions == "-") file_.flush();
    }
    void score(const PredictedRow& row) {
        const Index place = format_.kind == TargetKind::category ? static_cast<Index>(row.label)
                                                                 : Index{row.label > 0 ? 1U : 0U};
        metrics_.add({.prediction = row.prediction,
                      .label = row.label,
                      .probability = row.probabilities.empty() ? kNotKnown : row.probabilities[place]});
    }

    const PredictSettings& settings_;
    Predictor predictor_;
    OutputFile file_;
    PredictionFormat format_;
    Metrics metrics_;
    std::uint64_t rows_ = 0;
    std::uint64_t bad_rows_ = 0;
    std::string last_bad_;
    std::string line_;
};

}  // namespace

int predict(const std::vector<std::string>& arguments) {
    PredictSettings settings;
    const auto done = parse_command_line(
        "predict",
        "Predicts rows with a model that 'learn --save' or 'fit --save' wrote. Columns are found by their "
        "names; "
        "a label is not needed, and gives metrics if it is there. Nothing is learned.",
        arguments, settings,
        {.checks = {[&] { check(settings); }},
         .examples = {"predict model.json new.csv >predictions.csv", "predict load.json --horizon 24",
                      "predict model.json labelled.csv --predictions predictions.csv"}});
    if (done) return *done;
    PredictionRun run(settings);
    try {
        run.play();
    } catch (const DataError& error) {
        eprint("proxstream: {}\n", error.what());
        if (const std::string text = run.partial(); !text.empty()) eprint("proxstream: {}\n", text);
        return kData;
    }
    run.print();
    return *stop_requested() ? kInterrupted : kOk;
}

}  // namespace proxstream::app
