/// Certificates of all kinds of runs in the one form that the page shows.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include <string>
#include <vector>

namespace proxstream {

/// {"conclusion","sound","claims":[{"id","statement","verdict","left","right","explanation"}]}, or null of an
/// empty text. Takes what learn, route (a list, an epoch each), play and fit write. `kind`: of the run.
/// Throws DataError if it is no JSON.
std::string page_certificate(const std::string& json, const std::string& kind);

/// What was recomputed of a store, an account each.
std::string accounts_json(const std::vector<Certificate>& accounts);

}  // namespace proxstream
