/// The certificate of a stored run, from its ledger alone.
#pragma once

#include "proxstream/regret/certificate.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include <string>

namespace proxstream {

/// Throws IoError if the file cannot be read, TruncatedLedger or DataError if it is not a whole, untouched
/// ledger.
Certificate certify(const std::string& path);
/// The same for a ledger that is already open and not yet read past its header.
Certificate certify(LedgerReader& ledger);

}  // namespace proxstream
