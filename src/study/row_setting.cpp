#include "study/row_setting.hpp"

#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"

#include <utility>

namespace proxstream {
namespace {

constexpr std::uint64_t kManyRowSteps = 100'000'000;

BatchFactory batches(const RowSetting& setting) {
    const std::shared_ptr<const RowFamily> family =
        parse_loss(setting.loss, RowShape{.features = setting.features, .intercept = false});
    return [family](Index capacity) { return family->make_batch(capacity); };
}

}  // namespace

std::unique_ptr<AnyLearner> make_learner(const RowSetting& setting, const std::string& text,
                                         std::uint64_t seed) {
    return make_learner(text, LearnerParts{.g = parse_regulariser(setting.reg),
                                           .make_batch = batches(setting),
                                           .start = std::vector<Real>(setting.features),
                                           .step = setting.step,
                                           .smoothness = setting.smoothness,
                                           .budget = {.max_steps = kManyRowSteps},
                                           .inner = "prox-grad",
                                           .seed = seed});
}

RegretMeter<AnyRegulariser, AnyBatch> make_meter(const RowSetting& setting,
                                                 const std::vector<Index>& windows) {
    return {parse_regulariser(setting.reg), batches(setting), setting.features, setting.step, windows};
}

}  // namespace proxstream
