/// Streams for forecasting: past values as features, labels in running units.
#include "proxstream/core/draw.hpp"

#include "run/label_scale.hpp"
#include "run/lagged_reader.hpp"
#include "run/learn_run.hpp"
#include "run/read_predictions.hpp"
#include "run/reader_support.hpp"

#include <cmath>
#include <sstream>

namespace proxstream {
namespace {

using namespace testing;

std::vector<Real> values_of(const RowBlock& block, Index row) {
    return {block.values(row).begin(), block.values(row).end()};
}

/// Columns a, b and the label y of a wandering series.
struct DrawnSeries {
    std::vector<Real> a, b, y;

    explicit DrawnSeries(Index rows) {
        Real level = 20;
        for (Index t = 0; t < rows; ++t) {
            level += normal({.seed = 5, .round = t});
            a.push_back(normal({.seed = 6, .round = t}));
            b.push_back(normal({.seed = 7, .round = t}));
            y.push_back(level + a.back());
        }
    }
    std::string csv(Index first, Index last) const {
        std::ostringstream text;
        text.precision(17);
        text << "a,b,y\n";
        for (Index t = first; t < last; ++t) text << a[t] << ',' << b[t] << ',' << y[t] << '\n';
        return text.str();
    }
};

RowBlock lagged_rows(std::vector<Input> inputs, const ReaderOptions& options, const LagOptions& lags) {
    LaggedReader reader(open_inputs(std::move(inputs), options), lags);
    RowBlock rows = read_all(reader);
    return rows;
}

TEST(Lags, AreThePastOverTheEndsOfFiles) {
    const DrawnSeries series(60);
    ReaderOptions options = csv_options("y");
    options.table.lagged = {"y", "b"};
    const std::vector<Input> inputs{memory_input("one", series.csv(0, 23)),
                                    memory_input("two", series.csv(23, 60))};
    const LagOptions lags{.lags = {2, 7, 1}, .columns = {"y", "b"}, .past_only = {"b"}};
    LaggedReader reader(open_inputs(inputs, options), lags);
    EXPECT_EQ(reader.feature_names(),
              (std::vector<std::string>{"a", "y[-2]", "y[-7]", "y[-1]", "b[-2]", "b[-7]", "b[-1]"}));
    EXPECT_EQ(reader.features(), 7U);
    const RowBlock rows = read_all(reader);
    ASSERT_EQ(rows.rows(), 53U);
    for (Index row = 0; row < rows.rows(); ++row) {
        const Index t = row + 7;
        EXPECT_EQ(rows.target(row), series.y[t]);
        EXPECT_EQ(values_of(rows, row),
                  (std::vector<Real>{series.a[t], series.y[t - 2], series.y[t - 7], series.y[t - 1],
                                     series.b[t - 2], series.b[t - 7], series.b[t - 1]}));
    }
    expect_parts(Error(reader.notes().at(0)), {"y, b", "2,7,1", "first 7 rows"});
}

TEST(Lags, ALabelAloneIsEnough) {
    ReaderOptions options = csv_options("");
    options.table.needs_features = false;
    const RowBlock rows = lagged_rows({memory_input("t", "v\n1\n2\n4\n8\n")}, options, {.lags = {1, 2}});
    ASSERT_EQ(rows.rows(), 2U);
    EXPECT_EQ(values_of(rows, 0), (std::vector<Real>{2, 1}));
    EXPECT_EQ(values_of(rows, 1), (std::vector<Real>{4, 2}));
    EXPECT_EQ(rows.target(1), 8);
}

TEST(Lags, FollowTheIndicesOfSparseRows) {
    ReaderOptions options = libsvm_options();
    options.libsvm.dimension = 5;
    const RowBlock rows =
        lagged_rows({memory_input("t", "1 1:7\n2 2:8\n3\n4 5:9\n")}, options, {.lags = {2, 1}});
    ASSERT_EQ(rows.rows(), 2U);
    EXPECT_EQ(values_of(rows, 0), (std::vector<Real>{1, 2}));
    EXPECT_EQ(values_of(rows, 1), (std::vector<Real>{9, 2, 3}));
    EXPECT_EQ(std::vector<FeatureIndex>(rows.indices(1).begin(), rows.indices(1).end()),
              (std::vector<FeatureIndex>{4, 5, 6}));
}

TEST(Lags, ABadRowTakesItsPlaceInTime) {
    ReaderOptions options = csv_options("y");
    const std::string text = "a,y\n0,x\n0,1\n0,2\n0,bad\n,4\n0,5\n0,6\n0,7\n";
    RecordStream stream(std::make_unique<LaggedReader>(open_inputs({memory_input("t", text)}, options),
                                                       LagOptions{.lags = {1, 3}}),
                        {.skip_bad_rows = true});
    RowBlock record = stream.make_record();
    std::vector<std::vector<Real>> rows;
    while (stream.next(record)) {
        rows.push_back(values_of(record, 0));
        rows.back().push_back(record.target(0));
    }
    // Time: 1 2 (2) (2) 5 6 7; what cannot be read repeats the 2 before it.
    EXPECT_EQ(rows, (std::vector<std::vector<Real>>{{0, 2, 2, 5}, {0, 5, 2, 6}, {0, 6, 2, 7}}));
    EXPECT_EQ(stream.bad_rows(), 3U);
}

TEST(Lags, ReportsAStreamThatIsTooShort) {
    expect_error<DamagedFile>(
        [] { lagged_rows({memory_input("t", "a,y\n0,1\n0,2\n")}, csv_options("y"), {.lags = {2}}); },
        {"t:3", "before the longest lag is filled", "more than 2 rows"});
}

TEST(LabelScale, UsesEarlierRecordsOnly) {
    LabelScale scale;
    RowBlock record;
    const auto apply = [&](const std::vector<Real>& labels) {
        record.clear();
        for (const Real label : labels) record.add_dense({}, label);
        scale.apply(record);
        return std::vector<Real>(record.targets().begin(), record.targets().end());
    };
    EXPECT_EQ(apply({4, 8}), (std::vector<Real>{0, 0}));  // nothing is known yet
    EXPECT_EQ(scale.restored(1), 0);
    EXPECT_EQ(apply({10, 2}), (std::vector<Real>{2, -2}));  // mean 6, deviation 2
    EXPECT_EQ(scale.restored(2), 10);
    EXPECT_EQ(apply({6}), (std::vector<Real>{0}));  // mean 6, deviation sqrt(10)
    EXPECT_NEAR(scale.restored(1), 6 + std::sqrt(10.0), 1e-14);
}

// ---- whole runs

struct Played {
    std::vector<Real> predictions;
    LearnOutcome outcome;
};

Played learn(LearnSettings settings, const std::string& csv) {
    const TemporaryFile data(csv);
    const TemporaryFile predictions("");
    settings.data = {data.path()};
    settings.predictions = predictions.path();
    settings.quiet = true;
    Played run;
    run.outcome = drive(LearnRun(settings));
    run.predictions = read_predictions(predictions.path());
    return run;
}

LearnSettings forecast_settings() {
    LearnSettings settings;
    settings.loss = "cauchy";
    settings.lags = {"1..3", "9"};
    settings.lag_columns = {"y", "a"};
    settings.standardise = true;
    settings.standardise_label = true;
    settings.window = "8";
    settings.step = "0.05";  // not from the first rows, whose labels are part of later features
    return settings;
}

TEST(Forecast, UsesEarlierRecordsOnly) {
    constexpr Index kChanged = 70;
    const DrawnSeries series(100);
    DrawnSeries other = series;
    other.y[kChanged] += 3;
    other.a[kChanged] -= 2;  // its present value is no feature
    LearnSettings settings = forecast_settings();
    const Played first = learn(settings, series.csv(0, 100));
    const Played second = learn(settings, other.csv(0, 100));
    ASSERT_EQ(first.predictions.size(), 91U);
    ASSERT_EQ(second.predictions.size(), 91U);
    for (Index t = 9; t < 100; ++t) {
        if (t <= kChanged) {
            EXPECT_EQ(first.predictions[t - 9], second.predictions[t - 9]) << t;
        }
    }
    EXPECT_NE(first.predictions[kChanged + 1 - 9], second.predictions[kChanged + 1 - 9]);
}

TEST(Forecast, PredictionsAreInTheUnitsOfTheData) {
    const DrawnSeries series(200);
    DrawnSeries other = series;
    for (Real& y : other.y) y = 1024 * y + 4096;
    LearnSettings settings = forecast_settings();
    settings.inner = "backtracking";  // auto may hand a round over for a rounding more or less
    const Played plain = learn(settings, series.csv(0, 200));
    const Played scaled = learn(settings, other.csv(0, 200));
    ASSERT_EQ(plain.predictions.size(), 191U);
    for (Index i = 1; i < plain.predictions.size(); ++i) {  // of the first row nothing is known
        EXPECT_NEAR(scaled.predictions[i], 1024 * plain.predictions[i] + 4096, 1e-5) << i;
    }
    EXPECT_NEAR(scaled.outcome.totals.loss_sum, plain.outcome.totals.loss_sum, 1e-8);
}

TEST(Forecast, AModelRemembersItsLagsAndItsLabel) {
    const DrawnSeries series(120);
    const TemporaryFile model("");
    LearnSettings settings = forecast_settings();
    settings.save = model.path();
    learn(settings, series.csv(0, 120));
    const Model saved = load_model(model.path());
    EXPECT_EQ(saved.lags, (std::vector<Index>{1, 2, 3, 9}));
    ASSERT_TRUE(saved.label_scale.has_value());
    EXPECT_EQ(saved.label_scale->state().count, 111U);

    settings = forecast_settings();
    settings.start = model.path();
    EXPECT_EQ(learn(settings, series.csv(0, 120)).outcome.totals.rounds, 111U);
    settings.lags = {"1..3", "8"};
    expect_error<ConfigError>([&] { learn(settings, series.csv(0, 120)); },
                              {"learned with lags 1,2,3,9, not lags 1,2,3,8", "other names"});
    settings.lags = {"1..3", "9"};
    settings.standardise_label = false;  // the same loss brings the scale of its label
    EXPECT_EQ(learn(settings, series.csv(0, 120)).outcome.totals.rounds, 111U);
    settings.loss = "squared";
    expect_error<ConfigError>([&] { learn(settings, series.csv(0, 120)); },
                              {"learned with loss 'cauchy", "standardisation of the label"});

    const Model older = parse_model(to_json(Model{.loss = "squared", .regulariser = "zero"}), "m");
    EXPECT_TRUE(older.lags.empty());
    EXPECT_FALSE(older.label_scale.has_value());
    expect_error<DataError>(
        [&] {
            std::string text = to_json(saved);
            text.replace(text.find("\"lags\": ["), 9, "\"lags\": [-1,");
            parse_model(text, "m");
        },
        {"lags", "a list of whole numbers"});
}

TEST(Forecast, RefusesLagsBelowTheHorizon) {
    LearnSettings settings;
    settings.lags = {"0", "5..2", "3..9", "x"};
    settings.ahead = 4;
    settings.lag_columns = {"y", "y"};
    expect_error<ConfigError>([&] { validate(settings); },
                              {"0 looks into the future", "'5..2' is not a lag", "3 looks into the future",
                               "ahead = 4", "'x' is not a lag", "'y' is named twice"});
    settings = {};
    settings.lags = {"2"};
    settings.batch = 3;
    expect_error<ConfigError>([&] { validate(settings); }, {"2 looks into the future", "predicted together"});
    settings = {};
    settings.ahead = 2;
    settings.lag_columns = {"y"};
    expect_error<ConfigError>([&] { validate(settings); },
                              {"ahead: has no meaning without lags", "lag-columns: has no meaning"});
}

TEST(Forecast, RefusesTextLabelsAndMissingColumns) {
    LearnSettings settings;
    settings.loss = "logistic";
    settings.lags = {"1"};
    settings.standardise_label = true;
    const std::string csv = "a,b,y\n1,2,1\n2,3,-1\n3,4,1\n";
    expect_error<ConfigError>([&] { learn(settings, csv); },
                              {"lags: the label of loss 'logistic' is not a number", "standardise-label:"});
    settings = {};
    settings.loss = "logistic";
    settings.lags = {"1"};
    settings.lag_columns = {"a"};  // the past of other columns is welcome
    EXPECT_EQ(learn(settings, csv).outcome.totals.rounds, 2U);
    settings.lag_columns = {"a", "c"};
    settings.ignore = {"a"};
    expect_error<ConfigError>([&] { learn(settings, csv); },
                              {"--lag-columns: column 'a' is already ignored", "no column is called 'c'"});
}

}  // namespace
}  // namespace proxstream
