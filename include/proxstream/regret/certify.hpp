/// Computes the certificate of a stored run from its ledger alone.
#pragma once

#include "proxstream/regret/certificate.hpp"
#include "proxstream/regret/ledger_reader.hpp"

#include <string>

namespace proxstream {

/// The certificate of the ledger in a file. Throws IoError if the file cannot be read, TruncatedLedger or
/// DataError if it is not a complete, unchanged ledger. Example: examples/05_ledger.cpp
Certificate certify(const std::string& path);
/// The same for a ledger that is open and not yet read past its header.
Certificate certify(LedgerReader& ledger);

}  // namespace proxstream
