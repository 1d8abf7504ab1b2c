#include "route/check_list.hpp"

#include "proxstream/core/spec.hpp"

namespace proxstream {
namespace {

constexpr std::array<std::string_view, kChecks> kClaims{
    "run.json counts what the tables hold",
    "the run came to its end, every period complete",
    "periods are numbered 1, 2, 3, ..",
    "epochs never fall, and paths change in those of periods only",
    "events and alarms are of periods that exist",
    "alarms open are those raised and not cleared",
    "link_flows.csv has every link once a period",
    "capacities are those of links.csv, changed by the events",
    "utilisation is load over capacity",
    "a link that carries more takes no less time, and the same for the same",
    "costs of links follow from load and time (objective system)",
    "a period's time is the sum of load times time",
    "a period's utilisation figures are those of its links",
    "a period's overload is that of its links",
    "mean time is time over demand served",
    "a period's cost is the sum of its parts",
    "splits lie in [0, 1]",
    "splits of every pair sum to 1, or the pair has no path",
    "paths in use are live",
    "path times are sums of link times",
    "link loads are sums of demand times split",
    "flow is conserved at every node",
    "a period's demand is the sum over pairs",
    "demand not served is what has no path or leaves the network",
    "pairs with demand and no path have an alarm",
    "churn is the share of demand on other paths than before",
    "paths used and changed are counted right",
    "the lead's row in methods.csv sums up periods.csv",
    "ratios in methods.csv are to the floor's cost",
    "maps say the same as the tables",
};

}  // namespace

CheckList::CheckList() {
    for (Index i = 0; i < kChecks; ++i) checks_[i].name = kClaims[i];
}

std::string CheckList::described(Real found, Real expected) {
    return ": " + format_short(found) + " where " + format_short(expected) + " follows from the parts";
}

}  // namespace proxstream
