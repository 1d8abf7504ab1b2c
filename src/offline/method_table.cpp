#include "offline/method_table.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "offline/method_rows.hpp"

#include <vector>

namespace proxstream {
std::span<const OfflineMethodRow> offline_methods() {
    static const std::vector<OfflineMethodRow> rows = [] {
        std::vector<OfflineMethodRow> all(exact_method_rows().begin(), exact_method_rows().end());
        all.insert(all.end(), sampled_method_rows().begin(), sampled_method_rows().end());
        return all;
    }();
    return rows;
}

const OfflineMethodRow& method_row(std::string_view text) {
    return find_row(offline_methods(), "method", Spec::parse(text).name());
}

std::unique_ptr<OfflineMethod> make_method(std::string_view text, const MethodParts& parts) {
    const Spec spec = Spec::parse(text);
    const OfflineMethodRow& row = find_row(offline_methods(), "method", spec.name());
    if (!row.stochastic && !parts.problem.loss->knows_f()) {
        throw ConfigError("method = '" + spec.text() +
                          "': it needs the exact gradient, which an expectation does not have; take a "
                          "stochastic method such as spiderboost");
    }
    auto method = row.make(spec, parts);
    spec.finish();
    return method;
}

}  // namespace proxstream
