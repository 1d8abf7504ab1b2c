#include "route/reconcile_splits.hpp"

#include "route/route_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace proxstream {
namespace {

enum SplitTableColumn : Index { kPath = 1, kSplit, kPathTime };
enum DemandTableColumn : Index { kPair = 1, kAmount };

constexpr Real kSmall = 1e-3;  // what is this much smaller than its whole is measured against the whole

}  // namespace

SplitAudit::SplitAudit(const RunFolder& folder, CheckList& checks)
    : folder_(folder),
      checks_(checks),
      splits_table_(folder.path(route_tables::kSplits.file), route_tables::kSplits.columns),
      demand_table_(folder.path(route_tables::kDemand.file), route_tables::kDemand.columns),
      unweighted_(folder.run.objective.starts_with("unweighted")),
      demand_(folder.pairs.size()),
      load_(folder.links.size()),
      net_(folder.nodes.size()) {
    for (Splits* each : {&now_, &before_}) {
        each->of_path.resize(folder.paths.size());
        each->of_pair.resize(folder.pairs.size());
        each->served.resize(folder.pairs.size());
    }
    for (Index i = 0; i < folder.alarms.size(); ++i) {
        if (folder.alarms[i].kind == name(AlarmKind::unroutable)) {
            unroutable_[folder.alarms[i].subject].push_back(i);
        }
    }
}

void SplitAudit::read(const PeriodRecord& period, const LinkAudit& links) {
    if (paths_of_pair_.empty() || epoch_ != period.epoch) {
        count_paths(period.epoch);
        carry_over();
    }
    read_demand(period);
    read_splits(period, links);
    check_pairs(period);
    if (!period.measured) return;
    check_loads(period, links);
    check_change(period);
    std::swap(now_, before_);
    has_before_ = true;
}

void SplitAudit::count_paths(Index epoch) {
    epoch_ = epoch;
    paths_of_pair_.assign(folder_.pairs.size(), 0);
    for (const RunFolder::PathLife& path : folder_.paths)
        paths_of_pair_[path.pair] += path.lives(epoch) ? 1 : 0;
}

/// The splits before, on the paths there are now: what a closure forces is not churn. What a pair had on
/// paths that went is shared out among the others in proportion, or evenly where nothing is left.
void SplitAudit::carry_over() {
    constexpr Real kWhole = 1e-12;
    if (!has_before_) return;
    std::vector<Real> kept(folder_.pairs.size(), 0);
    for (const Index path : before_.used) {
        if (folder_.paths[path].lives(epoch_)) {
            kept[folder_.paths[path].pair] += before_.of_path[path];
        } else {
            before_.of_path[path] = 0;
        }
    }
    for (const Index path : before_.used) {
        const Real whole = kept[folder_.paths[path].pair];
        if (std::abs(whole - 1) > kWhole && before_.of_path[path] != 0) before_.of_path[path] /= whole;
    }
    for (Index path = 0; path < folder_.paths.size(); ++path) {
        const Index pair = folder_.paths[path].pair;
        if (kept[pair] != 0 || !folder_.paths[path].lives(epoch_)) continue;
        before_.of_path[path] = 1 / static_cast<Real>(paths_of_pair_[pair]);
        before_.used.push_back(path);
    }
}

void SplitAudit::read_demand(const PeriodRecord& period) {
    std::fill(demand_.begin(), demand_.end(), 0);
    total_ = 0;
    Index next = 0;
    while (demand_table_.next_of(period.number)) {
        const Index pair = demand_table_.index(kPair, folder_.pairs.size(), "pair");
        if (pair < next) demand_table_.refuse(kPair, "out of order", "every pair once, ascending");
        next = pair + 1;
        demand_[pair] = demand_table_.number(kAmount);
        if (!(demand_[pair] > 0)) demand_table_.refuse(kAmount, "not above 0", "a demand");
        total_ += demand_[pair];
    }
    checks_.compare(Check::demand, period.measured ? period.figures.demand : 0, total_, 0,
                    [&] { return period.name(); });
}

void SplitAudit::read_splits(const PeriodRecord& period, const LinkAudit& links) {
    for (const Index path : now_.used) now_.of_path[path] = 0;
    now_.used.clear();
    std::fill(now_.of_pair.begin(), now_.of_pair.end(), 0);
    std::fill(now_.served.begin(), now_.served.end(), 0);
    split_cost_ = 0;
    while (splits_table_.next_of(period.number)) {
        const Index index = splits_table_.index(kPath, folder_.paths.size(), "path");
        const RunFolder::PathLife& path = folder_.paths[index];
        const Real split = splits_table_.number(kSplit);
        const Real time = splits_table_.number_or_none(kPathTime);
        const auto where = [&] {
            return period.name() + ", path " + std::to_string(index) + " of " + folder_.pairs[path.pair].name;
        };
        if (now_.of_path[index] != 0) splits_table_.refuse(kPath, "is there twice", "every path once");
        if (split == 0) splits_table_.refuse(kSplit, "is 0", "paths in use only");
        checks_.deviate(Check::split_range, std::max(-split, split - 1), where);
        checks_.confirm(Check::live_paths, path.lives(period.epoch), where);
        if (period.measured && links.has_flows()) {
            Real sum = 0;
            for (Index i = path.first_link; i < path.end_link; ++i)
                sum += links.time()[folder_.path_links[i]];
            checks_.compare(Check::path_times, time, sum, 0, where);
        }
        now_.of_path[index] = split;
        now_.used.push_back(index);
        now_.of_pair[path.pair] += split;
        if (!path.slack()) now_.served[path.pair] += split;
        split_cost_ += split * time;
    }
}

void SplitAudit::check_pairs(const PeriodRecord& period) {
    Real unserved = 0;
    for (Index pair = 0; pair < folder_.pairs.size(); ++pair) {
        const auto where = [&] { return period.name() + ", pair " + folder_.pairs[pair].name; };
        const bool routable = paths_of_pair_[pair] > 0;
        checks_.deviate(Check::split_sums, std::abs(now_.of_pair[pair] - (routable ? 1 : 0)), where);
        unserved += demand_[pair] * std::max<Real>(0, 1 - now_.served[pair]);
        if (demand_[pair] == 0 || routable) continue;
        checks_.confirm(Check::unroutable, has_alarm(folder_.pairs[pair].name, period.number), where);
    }
    if (!period.measured) return;
    if (unserved < 1e-9 * total_) unserved = 0;  // as whoever measures rounds it
    checks_.compare(Check::unserved, period.figures.unserved, unserved, kSmall * total_,
                    [&] { return period.name(); });
    if (unweighted_) {
        checks_.compare(Check::cost, period.figures.cost, split_cost_ + period.prices, 0,
                        [&] { return period.name(); });
    }
}

bool SplitAudit::has_alarm(const std::string& pair, Index period) const {
    const auto found = unroutable_.find(pair);
    return found != unroutable_.end() &&
           std::any_of(found->second.begin(), found->second.end(),
                       [&](Index alarm) { return folder_.alarms[alarm].open(period); });
}

void SplitAudit::check_loads(const PeriodRecord& period, const LinkAudit& links) {
    std::fill(load_.begin(), load_.end(), 0);
    for (const Index index : now_.used) {
        const RunFolder::PathLife& path = folder_.paths[index];
        const Real flow = demand_[path.pair] * now_.of_path[index];
        for (Index i = path.first_link; i < path.end_link; ++i) load_[folder_.path_links[i]] += flow;
    }
    std::fill(net_.begin(), net_.end(), 0);
    for (Index link = 0; link < load_.size(); ++link) {
        checks_.compare(Check::loads, links.load()[link], load_[link], kSmall * kSmall * total_,
                        [&] { return period.name() + ", link " + folder_.links[link].name; });
        net_[folder_.links[link].from] += links.load()[link];
        net_[folder_.links[link].to] -= links.load()[link];
    }
    for (Index pair = 0; pair < folder_.pairs.size(); ++pair) {
        const Real flow = demand_[pair] * now_.served[pair];
        net_[folder_.pairs[pair].origin] -= flow;
        net_[folder_.pairs[pair].destination] += flow;
    }
    if (total_ == 0) return;
    for (const auto& [node, index] : folder_.nodes) {
        checks_.deviate(Check::conservation, std::abs(net_[index]) / total_,
                        [&, &of = node] { return period.name() + ", node " + of; });
    }
}

void SplitAudit::check_change(const PeriodRecord& period) {
    Index used = 0;
    Index changed = 0;
    Real moved = 0;
    const auto see = [&](Index index) {
        const Real now = now_.of_path[index];
        const Real before = before_.of_path[index];
        moved += demand_[folder_.paths[index].pair] * std::abs(now - before) / 2;
        if ((now > 0) != (before > 0)) ++changed;
    };
    for (const Index index : now_.used) {
        if (now_.of_path[index] > 0 && !folder_.paths[index].slack()) ++used;
        if (has_before_) see(index);
    }
    for (const Index index : before_.used) {
        if (has_before_ && now_.of_path[index] == 0) see(index);
    }
    const auto where = [&] { return period.name(); };
    checks_.compare(Check::churn, period.figures.churn, total_ > 0 ? moved / total_ : 0, kSmall, where);
    checks_.compare(Check::paths_used, static_cast<Real>(period.figures.paths_used), static_cast<Real>(used),
                    0, where);
    checks_.compare(Check::paths_used, static_cast<Real>(period.figures.paths_changed),
                    static_cast<Real>(changed), 0, where);
}

bool SplitAudit::has_more(Index last_period) {
    return splits_table_.next_of(last_period + 1) || splits_table_.holds_row() ||
           demand_table_.next_of(last_period + 1) || demand_table_.holds_row();
}

}  // namespace proxstream
