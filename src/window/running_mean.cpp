/// A running mean: its weights change from round to round.
#include "window/window_weights.hpp"

#include <algorithm>
#include <string>

namespace proxstream {
namespace {

/// 1/m for each of the m records since the last restart. When m has grown to the longest, the newest few
/// stay.
class RunningMean final : public WindowForm {
  public:
    /// Which records count: those of the round itself, or those of the round to come without its own loss,
    /// with their weights or scaled up.
    enum class Part { all, rest, rescaled_rest };

    RunningMean(Index longest, Index keep, Part part) : longest_(longest), keep_(keep), part_(part) {}

    Index length() const override { return part_ == Part::all ? longest_ : std::max<Index>(longest_ - 1, 1); }
    Real effective_length() const override { return static_cast<Real>(longest_); }
    bool varies() const override { return true; }
    Real newest(Round t) const override {
        return 1 / static_cast<Real>(count(t) + (part_ == Part::rest ? 1 : 0));
    }
    void at(Round t, std::vector<Real>& out) const override { out.assign(count(t), newest(t)); }
    void follow(Round t, WindowRecurrence& out) const override {
        const Index now = count(t);
        const Index before = t > 1 ? count(t - 1) : 0;
        const Real weight = newest(t);
        if (now == before + 1 && before > 0) {
            out.keep = weight / newest(t - 1);
            out.records.push_back({0, weight});
            return;
        }
        out.keep = 0;
        for (Index age = 0; age < now; ++age) out.records.push_back({age, weight});
    }
    std::shared_ptr<const WindowForm> rest(bool rescaled) const override {
        if (!rescaled && keep_ < 2) return nullptr;
        return std::make_shared<RunningMean>(longest_, keep_, rescaled ? Part::rescaled_rest : Part::rest);
    }

  private:
    Index count(Round t) const {
        if (part_ == Part::all) return records(t);
        const Index next = records(t + 1);
        return part_ == Part::rescaled_rest && next == 1 ? 1 : next - 1;
    }
    /// Records since the restart in round t.
    Index records(Round t) const {
        return static_cast<Index>(t <= longest_ ? t : keep_ + (t - longest_ - 1) % (longest_ - keep_ + 1));
    }

    Index longest_;
    Index keep_;
    Part part_;
};

}  // namespace

WindowWeights WindowWeights::running_mean(Index longest, Index keep) {
    std::string text = "mean:" + std::to_string(longest) + ",keep=" + std::to_string(keep);
    check_window_length(text, "its length", longest);
    if (keep < 1 || keep >= std::max<Index>(longest, 2))
        refuse_window(text, "keep must be at least 1 and below the longest mean");
    return {std::make_shared<RunningMean>(longest, keep, RunningMean::Part::all), std::move(text)};
}

}  // namespace proxstream
