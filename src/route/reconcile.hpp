/// Whether the files of a run add up: every figure that can be had in two ways is computed in the other one.
#pragma once

#include "proxstream/regret/certificate.hpp"

#include "route/route_files.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace proxstream {

struct ReconcileCheck {
    std::string name = {};  // what is claimed, in words
    bool holds = true;
    std::uint64_t checked = 0;  // comparisons; 0: this folder has nothing to compare
    Real worst = 0;             // deviation, relative to what it is one of
    std::string where = {};     // of the first one that is too large, or of the worst
};

struct ReconcileResult {
    std::string folder = {};
    RouteDetail detail = RouteDetail::periods;
    Index periods = 0;
    Index measured = 0;  // of them, those whose demand was seen
    Index waiting = 0;   // of those, the ones without demand before the first one with demand
    std::vector<ReconcileCheck> checks = {};
    std::vector<std::string> notes = {};  // what could not be checked, and why

    bool sound() const;
};

/// Throws IoError for a file that cannot be read, DataError with file, line and field for one that is not
/// what it should be, a torn last line among them.
ReconcileResult reconcile(const std::string& folder);

/// ledger*.jsonl in a folder, in the order of their epochs.
std::vector<std::string> find_ledgers(const std::string& folder);
/// What speaks against these being the ledgers of the run the tables are of; empty: nothing does. Every
/// period that was measured is a round of one of them, from the first one with demand on.
std::string ledger_mismatch(const ReconcileResult& tables, const std::vector<Certificate>& ledgers);

std::string to_text(const ReconcileResult& result);
std::string to_json(const ReconcileResult& result);

}  // namespace proxstream
