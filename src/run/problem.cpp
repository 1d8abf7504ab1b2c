#include "run/problem.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"
#include "run/checked_reader.hpp"
#include "run/learn_defaults.hpp"
#include "run/row_model.hpp"
#include "run/settings_reader.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

/// The step of networks, whose smoothness has no known bound.
constexpr Real kNetworkStep = 0.1;

std::vector<Real> mean_gradient(const std::vector<RowBlock>& records, const RowFamily& family, ConstView x) {
    std::vector<Real> mean(x.size());
    std::vector<Real> gradient(x.size());
    Scratch scratch;
    for (const RowBlock& record : records) {
        family.value_and_gradient(record, x, gradient, scratch);
        axpy(1 / static_cast<Real>(records.size()), gradient, mean);
    }
    return mean;
}

/// Checks the settings before anything is opened.
std::unique_ptr<RowReader> open_valid(const LearnSettings& settings, StopFlag stop, bool oracles_elsewhere) {
    validate(settings, oracles_elsewhere);
    return open_reader(with_defaults(settings), settings.batch, stop);
}

}  // namespace

Index records_surveyed(const LearnSettings& settings) {
    const bool sampled = Spec::parse(settings.inner).name() == "spider" || has_oracle(settings);
    const bool given = settings.smoothness > 0 || (settings.step != "auto" && !sampled);
    // Noise is estimated even if the step is given.
    return given && !sampled ? 0 : settings.survey;
}

Problem::Problem(const LearnSettings& settings, StopFlag stop, const std::vector<std::string>& learners)
    : Problem(settings, open_valid(settings, stop, !learners.empty()), stop, learners) {}

Problem::Problem(const LearnSettings& settings, std::unique_ptr<RowReader> reader, StopFlag stop,
                 const std::vector<std::string>& learners)
    : settings_(with_defaults(settings)), g_(parse_regulariser("zero")) {
    validate(settings_, !learners.empty());
    family_ = parse_loss(settings_.loss, RowShape{.features = reader->features(),
                                                  .intercept = settings_.intercept,
                                                  .classes = settings_.classes.size()});
    g_ = regulariser_of(settings_, *family_);

    RecordStream::Options options;
    options.batch = settings_.batch;
    options.single = settings_.single;
    options.skip_bad_rows = settings_.on_bad_row == "skip";
    settings_.standardise = scales(settings_, *reader);
    if (settings_.standardise || settings_.standardise_label)
        reader = std::make_unique<CheckedReader>(std::move(reader), settings_.standardise,
                                                 settings_.standardise_label);
    if (settings_.standardise) options.scale.emplace(*reader);
    if (settings_.standardise_label) options.label_scale.emplace();
    start_.resize(family_->dimension());
    if (settings_.start == "zeros") {
        family_->start(start_, settings_.seed);
    } else {
        Model model = starting_model(settings_, lags_of(settings_, settings_.batch), *reader, *family_);
        start_ = std::move(model.x);
        if (model.standardiser) options.scale.emplace(*reader, std::move(*model.standardiser));
        if (model.label_scale) options.label_scale.emplace(std::move(*model.label_scale));
    }
    // A start outside dom g would make every bound infinite, so start at the nearest point of the domain.
    Scratch scratch;
    if (g_.value(start_, scratch) == kInfinity) g_.prox(start_, 1, start_, scratch);

    if (!settings_.forecast.empty()) {
        forecasts_ = std::make_unique<ForecastFeed>(settings_, reader->features(), stop);
    }
    stream_ = std::make_unique<RecordStream>(std::move(reader), std::move(options));
    estimate_noise_for(learners);
    choose_step();
}

Problem Problem::from(ConstView start) && {
    if (start.size() != start_.size())
        throw ConfigError("the starting point has " + std::to_string(start.size()) + " numbers, not " +
                          std::to_string(start_.size()));
    start_.assign(start.begin(), start.end());
    return std::move(*this);
}

void Problem::choose_proximal(const std::vector<RowBlock>& surveyed) {
    proximal_ = ProximalRule::parse(settings_.proximal);
    const std::optional<Real> curvature = family_->score_curvature();
    if (!curvature) return;
    const TargetKind kind = family_->target_kind();
    proximal_.margin = kind == TargetKind::sign || kind == TargetKind::category;
    // Of one score.
    const Index whole = family_->dimension() / std::max<Index>(family_->classes(), 1);
    const auto coordinates = static_cast<Real>(whole);
    const Real intercept = family_->dimension() > family_->penalised() ? 1 : 0;
    // The median, because the scales of the first rows vary, and a single row may be absurd.
    std::vector<Real> scales;
    for (const RowBlock& record : surveyed) {
        for (Index row = 0; row < record.rows(); ++row)
            scales.push_back((squared_norm(record.values(row)) + intercept) / static_cast<Real>(coordinates));
    }
    if (scales.empty()) {
        // A given step means that nothing is read in advance. L is then max |phi''| times |a|^2.
        proximal_.row_scale = smoothness_ / (*curvature * coordinates);
        return;
    }
    const auto middle = scales.begin() + static_cast<std::ptrdiff_t>(scales.size() / 2);
    std::nth_element(scales.begin(), middle, scales.end());
    proximal_.row_scale = *middle <= kAbsurd ? *middle : 0;
}

void Problem::choose_step() {
    std::vector<RowBlock> records;
    const std::optional<Real> given = number_or_auto("step", settings_.step);
    const bool spider = Spec::parse(settings_.inner).name() == "spider";
    const bool sampled = spider || has_oracle(settings_);
    smoothness_ = settings_.smoothness;
    std::string of = "smoothness";
    // Under noise, only L proves that steps descend, so it is estimated even if the step is given.
    if (smoothness_ == 0 && spider) {
        // (G2) needs the mean square Lipschitz constant of single rows' gradients.
        smoothness_ = std::max(noise_estimate_->mean_squared_smoothness, noise_estimate_->smoothness);
        of = "L of rows, " + noise_estimate_->smoothness_origin();
    } else if (smoothness_ == 0 && (sampled || !given)) {
        records = stream_->peek(settings_.survey);
        for (const RowBlock& record : records) {
            // A row so large that its L overflows is skipped: its own round will be refused.
            const Real smoothness = family_->smoothness(record).value_or(0);
            if (smoothness <= kAbsurd) smoothness_ = std::max(smoothness_, smoothness);
        }
        of = "L of the first " + std::to_string(records.size()) + " records";
    }
    if (given) {
        step_ = *given;
        step_origin_ = "given";
    } else if (smoothness_ > 0) {
        // A larger L is one too, and keeps the step within its range.
        smoothness_ = std::max(smoothness_, 2 / kAbsurd);
        // Half as long under noise, because the exit test has to compensate for c = 1 - eta L/2.
        step_ = 1 / ((sampled ? 2 : 1) * smoothness_);
        step_origin_ = sampled ? "half of 1/" + of : "1/" + of;
    } else {
        step_ = kNetworkStep;
        step_origin_ = "default, the loss has no known L";
    }
    if (smoothness_ == 0) smoothness_ = 1 / step_;
    choose_proximal(records);
    look_at(records);
}

void Problem::look_at(const std::vector<RowBlock>& surveyed) {
    if (surveyed.empty()) return;
    if (family_->target_kind() == TargetKind::number) {
        std::vector<Real> labels = stream_->labels_ahead();
        std::sort(labels.begin(), labels.end());
        two_labels_ = std::unique(labels.begin(), labels.end()) - labels.begin() == 2;
    }
    if (surveyed.front().sparse()) return;
    std::vector<Real> squares(stream_->reader().features());
    for (const RowBlock& record : surveyed) {
        for (Index row = 0; row < record.rows(); ++row) {
            for (Index i = 0; i < squares.size(); ++i)
                squares[i] += record.values(row)[i] * record.values(row)[i];
        }
    }
    std::erase_if(squares, [](Real square) { return !(square > 0 && square < kInfinity); });
    if (squares.empty()) return;
    const auto [least, most] = std::minmax_element(squares.begin(), squares.end());
    column_spread_ = std::sqrt(*most) / std::sqrt(*least);
}

void Problem::estimate_noise_for(const std::vector<std::string>& learners) {
    std::string texts = settings_.oracle + ' ' + settings_.learner + ' ' + settings_.inner;
    for (const std::string& text : learners) texts += ' ' + text;
    const auto mention = [&texts](const char* what) { return texts.find(what) != std::string::npos; };
    const bool minibatch = mention("minibatch") && settings_.noise == "auto" && settings_.batch > 1;
    if (!minibatch && !mention("spider")) return;
    const NoiseEstimateOptions options{
        .confidence = settings_.confidence, .smoothness = settings_.smoothness, .seed = settings_.seed};
    const std::vector<RowBlock> records = stream_->peek(settings_.survey);
    noise_estimate_ = estimate_noise(records, *family_, g_, start_, options);
    first_gradient_ = mean_gradient(records, *family_, start_);
}

std::unique_ptr<AnyLearner> Problem::make_learner(const std::string& text) const {
    return make_learner(text, settings_.seed);
}

std::unique_ptr<AnyLearner> Problem::make_learner(const std::string& text, std::uint64_t seed) const {
    NoiseParts noise = noise_parts(settings_);
    if (noise_estimate_ && !noise.base_noise && !noise_estimate_->exact()) {
        noise.base_noise = noise_estimate_->base_noise_limit;
        noise.origin = noise_estimate_->base_noise_origin(settings_.confidence);
        Scratch scratch;
        std::vector<Real> forward(start_.size());
        std::vector<Real> gap(start_.size());
        noise.first_gap =
            prox_gradient_step(g_, start_, first_gradient_, step_, {forward, gap}, scratch).norm;
    }
    LearnerConfig parts = learner_config(settings_);
    parts.g = g_;
    parts.make_batch = [family = family_](Index capacity) { return family->make_batch(capacity); };
    if (forecasts_) parts.make_forecasts = [family = family_] { return family->make_batch(2); };
    parts.start = start_;
    parts.proximal = proximal_;
    parts.step = step_;
    parts.smoothness = smoothness_;
    parts.noise = noise;
    parts.seed = seed;
    parts.linear = linear_model(*family_);
    parts.averages = has_linear_scores(*family_);
    parts.last_value = stream_->reader().last_label();
    return proxstream::make_learner(text, std::move(parts));
}

RegretMeter<AnyRegulariser, AnyBatch> Problem::make_meter(const std::vector<Index>& windows) const {
    return {g_, [this](Index capacity) { return family_->make_batch(capacity); }, family_->dimension(), step_,
            windows};
}

Model Problem::model_at(ConstView x, Round rounds) const {
    Model model = model_of(settings_, lags_of(settings_, settings_.batch), stream_->reader());
    model.running = true;
    model.single = settings_.single;
    if (stream_->scale()) model.standardiser = stream_->scale()->statistics();
    if (stream_->label_scale()) model.label_scale = stream_->label_scale()->statistics();
    model.rounds = rounds;
    model.x.assign(x.begin(), x.end());
    return model;
}

}  // namespace proxstream
