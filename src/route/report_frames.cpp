#include "proxstream/core/error.hpp"

#include "route/report_data.hpp"

#include <algorithm>
#include <cmath>

namespace proxstream {
namespace {

std::uint16_t permille(Real utilisation) {
    const Real value = std::round(utilisation * 1000);
    if (!(value > 0)) return 0;  // NaN too: nothing is known to be on that link
    return static_cast<std::uint16_t>(std::min<Real>(value, ReportFrames::kLargest));
}

}  // namespace

ReportFrames::ReportFrames(Index most_frames, Index most_values)
    : most_frames_(std::max<Index>(most_frames, 2)), most_values_(most_values) {}

void ReportFrames::add(std::span<const Real> utilisation) {
    const Index period = seen_++;
    if (utilisation.empty()) return;
    if (links_ == 0) links_ = utilisation.size();
    if (utilisation.size() != links_) throw Error("report: a frame has not as many links as the ones before");
    if (period % stride_ != 0) return;
    periods_.push_back(period);
    for (const Real value : utilisation) values_.push_back(permille(value));
    while (periods_.size() > 2 && (periods_.size() > most_frames_ || values_.size() > most_values_))
        drop_every_other();
}

void ReportFrames::exchange(Checkpoint& checkpoint) {
    checkpoint.exchange("links", links_);
    checkpoint.exchange("seen", seen_);
    checkpoint.exchange("stride", stride_);
    checkpoint.require(stride_ > 0, "a stride above 0");
    std::vector<std::uint64_t> kept(periods_.begin(), periods_.end());
    checkpoint.list("periods", kept);
    periods_.assign(kept.begin(), kept.end());
    std::vector<std::uint32_t> permilles(values_.begin(), values_.end());
    checkpoint.list("permilles", permilles);
    checkpoint.require(permilles.size() == links_ * periods_.size(),
                       "a number for every link of every frame");
    values_.clear();
    for (const std::uint32_t each : permilles) values_.push_back(static_cast<std::uint16_t>(each));
}

void ReportFrames::drop_every_other() {
    stride_ *= 2;
    Index kept = 0;
    for (Index i = 0; i < periods_.size(); ++i) {
        if (periods_[i] % stride_ != 0) continue;
        periods_[kept] = periods_[i];
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * links_), links_,
                    values_.begin() + static_cast<std::ptrdiff_t>(kept * links_));
        ++kept;
    }
    periods_.resize(kept);
    values_.resize(kept * links_);
}

}  // namespace proxstream
