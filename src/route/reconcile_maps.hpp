/// The GeoJSON files against the tables.
#pragma once

#include "route/reconcile_links.hpp"

namespace proxstream {

/// `last` is the last period that was measured.
void compare_maps(const RunFolder& folder, const LinkAudit& links, const std::optional<PeriodRecord>& last,
                  CheckList& checks);

}  // namespace proxstream
