/// How certificates of runs, games and fits are written as JSON.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "core/json.hpp"

#include <string>
#include <vector>

namespace proxstream {

using OrderedJson = nlohmann::ordered_json;

/// JSON has no infinity and no NaN; they are written as strings, as in the ledger.
OrderedJson json_number(Real value);
OrderedJson to_object(const std::vector<Inequality>& lines);
OrderedJson to_object(const PaperClaim& claim);
OrderedJson to_object(const Certificate& certificate);
/// The document as text; what is not UTF-8 is replaced.
std::string json_text(const OrderedJson& document);

}  // namespace proxstream
