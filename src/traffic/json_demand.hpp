/// Demand and events as JSON, an object a line:
///   {"period": "08:05", "demand": {"A->B": 12.5}, "events": [{"link": "A-B", "capacity": 0.5}]}
#pragma once

#include "core/json.hpp"
#include "traffic/line_demand.hpp"

#include <functional>

namespace proxstream {

class JsonDemand final : public LineDemand {
  public:
    JsonDemand(std::unique_ptr<LineReader> lines, const Network& network, const DemandOptions& options);
    /// Every pair that has demand somewhere; lines that cannot be read name none.
    static std::vector<Pair> scan_pairs(const Input& input, const Network& network,
                                        const DemandOptions& options);
    std::vector<std::string> notes() const override;

  private:
    using Json = nlohmann::json;
    using Take = std::function<void(Pair, Real, const std::string& field)>;

    Head read_head(std::string_view line, std::vector<NetworkEvent>& events) override;
    void read_body(std::string_view line, std::vector<Real>& demand) override;
    Json parse(std::string_view line) const;
    std::string read_label() const;
    NetworkEvent read_event(const Json& event, const std::string& field) const;
    /// Hands on every number of "demand": {"A->B": 1}, {"A": {"B": 1}} or a matrix.
    void for_each_demand(const Take& take) const;
    void take_matrix(const Json& matrix, const Take& take) const;
    Real amount(const Json& value, const std::string& field) const;
    NodeIndex node(const std::string& name, const std::string& field) const;
    DataLocation locate(const std::string& field) const { return {source(), line(), 0, field}; }
    [[noreturn]] void refuse(const std::string& field, const std::string& problem,
                             const std::string& expected) const {
        throw DataError(locate(field), problem, expected);
    }

    Index zones_;
    Json object_;
    Real dropped_ = 0;  // of nodes with themselves
};

}  // namespace proxstream
