/// A place in a ledger, by which a writer can go on from there and a checkpoint knows its own.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/regret/round_order.hpp"

#include <cstdint>
#include <string>

namespace proxstream {

/// Where a ledger stands after one of its rounds: what a writer needs to go on from there.
struct LedgerMark {
    std::uint64_t lines = 0;
    std::uint64_t bytes = 0;  // of them
    std::string digest;       // all digits of the chain over those bytes
    RoundOrder order;

    void exchange(Checkpoint& checkpoint);
};

}  // namespace proxstream
