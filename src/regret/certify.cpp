#include "proxstream/regret/certify.hpp"

#include "regret/tally.hpp"

namespace proxstream {

Certificate certify(LedgerReader& ledger) {
    Tally tally(ledger.header());
    while (ledger.next()) tally.add(ledger.report(), ledger.extras());
    return tally.certificate(ledger.footer());
}

Certificate certify(const std::string& path) {
    LedgerReader ledger(path);
    return certify(ledger);
}

}  // namespace proxstream
