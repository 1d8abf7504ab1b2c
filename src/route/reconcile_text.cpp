/// The result of a reconciliation for people and for programs.
#include "core/json.hpp"
#include "route/reconcile.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace proxstream {

std::string to_text(const ReconcileResult& result) {
    std::string text = fmt::format("{}: {} period{}, detail {}\n", result.folder, result.periods,
                                   result.periods == 1 ? "" : "s", name(result.detail));
    for (const ReconcileCheck& check : result.checks) {
        if (check.checked == 0) continue;
        text += fmt::format("  {:<8}{:<72} {:>10}  {:.1e}\n", check.holds ? "holds" : "BROKEN", check.name,
                            check.checked, check.worst);
        if (!check.holds) text += fmt::format("          {}\n", check.where);
    }
    for (const std::string& note : result.notes) text += "  note: " + note + "\n";
    const auto broken =
        std::count_if(result.checks.begin(), result.checks.end(), [](const auto& c) { return !c.holds; });
    const auto made = std::count_if(result.checks.begin(), result.checks.end(),
                                    [](const auto& c) { return c.checked > 0; });
    text += broken == 0
                ? fmt::format("  The files add up: {} checks hold.\n", made)
                : fmt::format("  The files do not add up: {} of {} checks are broken.\n", broken, made);
    return text;
}

std::string to_json(const ReconcileResult& result) {
    using Json = nlohmann::ordered_json;
    Json checks = Json::array();
    for (const ReconcileCheck& check : result.checks) {
        checks.push_back({{"claim", check.name},
                          {"holds", check.holds},
                          {"checked", check.checked},
                          {"worst", std::isfinite(check.worst) ? Json(check.worst) : Json("inf")},
                          {"where", check.where}});
    }
    const Json document{{"folder", result.folder},   {"detail", name(result.detail)},
                        {"periods", result.periods}, {"measured", result.measured},
                        {"sound", result.sound()},   {"checks", std::move(checks)},
                        {"notes", result.notes}};
    return document.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace proxstream
