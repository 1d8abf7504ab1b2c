/// splits.csv and demand.csv against the links' loads and the periods' figures.
#pragma once

#include "route/reconcile_links.hpp"

#include <unordered_map>

namespace proxstream {

class SplitAudit {
  public:
    SplitAudit(const RunFolder& folder, CheckList& checks);

    /// Every period in turn, after its links.
    void read(const PeriodRecord& period, const LinkAudit& links);
    bool has_more(Index last_period);

  private:
    /// The splits of a period, as they stand in the file.
    struct Splits {
        std::vector<Real> of_path;  // 0 where unused
        std::vector<Index> used;    // paths
        std::vector<Real> of_pair;  // sums
        std::vector<Real> served;   // sums without slack
    };
    void count_paths(Index epoch);
    void carry_over();
    void read_demand(const PeriodRecord& period);
    void read_splits(const PeriodRecord& period, const LinkAudit& links);
    void check_pairs(const PeriodRecord& period);
    void check_loads(const PeriodRecord& period, const LinkAudit& links);
    void check_change(const PeriodRecord& period);
    bool has_alarm(const std::string& pair, Index period) const;

    const RunFolder& folder_;
    CheckList& checks_;
    CsvTable splits_table_, demand_table_;
    bool unweighted_;
    std::unordered_map<std::string, std::vector<Index>> unroutable_;  // alarms of a pair
    std::vector<Index> paths_of_pair_;                                // live in epoch_
    Index epoch_ = 0;
    std::vector<Real> demand_;
    Real total_ = 0;
    Real split_cost_ = 0;  // the paper's unweighted sum
    Splits now_, before_;  // before: of the last period measured
    bool has_before_ = false;
    std::vector<Real> load_, net_;  // scratch: by link and by node
};

}  // namespace proxstream
