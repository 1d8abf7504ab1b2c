/// Rows whose label comes later. They wait under their keys until a row with the same key brings the label.
#pragma once

#include "proxstream/loss/row_block.hpp"

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <utility>

namespace proxstream {

class DelayedRows {
  public:
    /// Beyond this number, the oldest rows are dropped.
    static constexpr std::size_t kMost = 1'000'000;

    /// Keeps the last row of `rows`, and replaces an earlier row with this key.
    void keep(const std::string& key, const RowBlock& rows) {
        RowBlock row(rows.sparse());
        row.add_row(rows, rows.rows() - 1);
        order_.emplace_back(key, ++kept_);
        waiting_.insert_or_assign(key, Waiting{std::move(row), kept_});
        while (waiting_.size() > kMost || order_.size() > 2 * kMost) forget_oldest();
    }

    /// If a row waits under this key, the last row of `rows` becomes that row. Its label and weight stay.
    void complete(const std::string& key, RowBlock& rows) {
        const auto found = waiting_.find(key);
        if (found == waiting_.end()) return;
        const Index last = rows.rows() - 1;
        const Real target = rows.target(last);
        const Real weight = rows.weight(last);
        rows.remove_last();
        rows.add_row(found->second.row, 0);
        rows.set_target(last, target);
        rows.set_weight(last, weight);
        waiting_.erase(found);
        ++completed_;
    }

    std::size_t waiting() const noexcept { return waiting_.size(); }
    std::uint64_t completed() const noexcept { return completed_; }

  private:
    struct Waiting {
        RowBlock row;
        std::uint64_t number = 0;  // of its keep()
    };
    void forget_oldest() {
        const auto found = waiting_.find(order_.front().first);
        // The row may have been completed, or replaced by a later one.
        if (found != waiting_.end() && found->second.number == order_.front().second) waiting_.erase(found);
        order_.pop_front();
    }

    std::unordered_map<std::string, Waiting> waiting_;
    std::deque<std::pair<std::string, std::uint64_t>> order_;
    std::uint64_t kept_ = 0;
    std::uint64_t completed_ = 0;
};

}  // namespace proxstream
