#include "studies/learners.hpp"

#include "proxstream/prox/regulariser_table.hpp"
#include "proxstream/window/record_ring.hpp"

#include "loss/loss_table.hpp"

#include <cmath>

#include <fmt/format.h>

namespace proxstream {
namespace {

BatchFactory batches(const Setting& setting) {
    const Index dimension = setting.start.size();
    if (setting.loss.empty()) {
        return [dimension](Index capacity) {
            return AnyBatch(RecordRing<FunctionFamily>(FunctionFamily(dimension, true), capacity));
        };
    }
    const std::shared_ptr<const RowFamily> family =
        parse_loss(setting.loss, RowShape{.features = dimension, .intercept = false});
    return [family](Index capacity) { return family->make_batch(capacity); };
}

}  // namespace

std::string paper_learner(Index window, Real delta, const std::string& more) {
    return fmt::format("time-smoothed:window={},model=previous,tolerance={},proximal=0{}", window, delta,
                       more);
}

std::unique_ptr<AnyLearner> make_learner(const Setting& setting, const std::string& text,
                                         std::uint64_t seed) {
    LearnerConfig config{.g = parse_regulariser(setting.reg),
                         .make_batch = batches(setting),
                         .start = setting.start,
                         .step = setting.step,
                         .smoothness = setting.smoothness,
                         .budget = {.max_steps = setting.max_steps},
                         .inner = "prox-grad",
                         .seed = seed};
    config.noise.sampler = setting.oracle;
    config.noise.force = true;
    return make_learner(text, std::move(config));
}

RegretMeter<AnyRegulariser, AnyBatch> make_meter(const Setting& setting, const std::vector<Index>& windows) {
    return {parse_regulariser(setting.reg), batches(setting), setting.start.size(), setting.step, windows};
}

LossFunction line(Real slope) {
    return [slope](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = slope;
        return slope * x[0];
    };
}

LossFunction wave(Real phase) {
    return [phase](ConstView x, View gradient) {
        if (!gradient.empty()) gradient[0] = std::sin(x[0] - phase);
        return -std::cos(x[0] - phase);
    };
}

void note_certificate(const Certificate& certificate, const std::string& name, Cell& cell) {
    const Round refused = certificate.summary.totals.refused;
    if (refused > 0)
        cell.notes.push_back(fmt::format("{}: {} rounds were refused: a loss was not finite", name, refused));
    if (!certificate.sound()) cell.notes.push_back(fmt::format("{}: {}", name, conclusion(certificate)));
}

}  // namespace proxstream
