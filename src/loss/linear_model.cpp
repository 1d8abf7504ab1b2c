#include "loss/linear_model.hpp"

#include "loss/pass_family.hpp"

namespace proxstream {

void LinearModel::write_row(const RowBlock& record, Index row, View out) const {
    proxstream::write_row(record, row, out.first(features));
    if (intercept) out[features] = 1;
}

std::optional<LinearModel> linear_model(const RowFamily& family) {
    const auto* rows = dynamic_cast<const PassFamily*>(&family);
    if (rows == nullptr) return std::nullopt;
    const std::optional<ScalarLoss> loss = rows->of_scores();
    if (!loss) return std::nullopt;
    return LinearModel{*loss, rows->features(), rows->dimension() > rows->features()};
}

bool has_linear_scores(const RowFamily& family) {
    const auto* rows = dynamic_cast<const PassFamily*>(&family);
    return rows != nullptr && rows->score_curvature().has_value();
}

}  // namespace proxstream
