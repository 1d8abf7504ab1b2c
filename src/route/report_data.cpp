#include "route/report_data.hpp"

#include "proxstream/core/error.hpp"

#include "io/json_writer.hpp"
#include "io/output_file.hpp"
#include "run/report_page.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace proxstream {
namespace {

struct NamedSeries {
    std::string_view name;
    std::vector<Real> ReportLead::*values;
};
constexpr std::array<NamedSeries, 13> kSeries{{
    {"demand", &ReportLead::demand},
    {"cost", &ReportLead::cost},
    {"utilisationMax", &ReportLead::utilisation_max},
    {"utilisationP95", &ReportLead::utilisation_p95},
    {"utilisationMedian", &ReportLead::utilisation_median},
    {"utilisationMean", &ReportLead::utilisation_mean},
    {"churn", &ReportLead::churn},
    {"entryResidual", &ReportLead::entry_residual},
    {"tolerance", &ReportLead::tolerance},
    {"regret", &ReportLead::regret},
    {"regretBound", &ReportLead::regret_bound},
    {"steps", &ReportLead::steps},
    {"seconds", &ReportLead::seconds},
}};

/// Everything in the data that points beside its target, in one message.
void check(const ReportData& data) {
    std::string wrong;
    const auto require = [&](bool holds, const std::string& otherwise) {
        if (!holds) wrong += (wrong.empty() ? "report: " : "; ") + otherwise;
    };
    const Index periods = data.labels.size();
    const Index links = data.network.links.size();
    const auto fits = [&](const std::vector<Real>& series, const std::string& what) {
        require(series.empty() || series.size() == periods, what + " has " + std::to_string(series.size()) +
                                                                " values for " + std::to_string(periods) +
                                                                " periods");
    };
    for (const NamedSeries& series : kSeries) fits(data.lead.*series.values, std::string(series.name));
    for (const ReportMethod& method : data.methods) fits(method.cost, "the cost of '" + method.name + "'");
    for (const ReportLink& link : data.network.links)
        require(link.from < data.network.nodes.size() && link.to < data.network.nodes.size(),
                "link '" + link.name + "' ends at no node");
    require(data.frames.periods().empty() || data.frames.links() == links,
            "frames have " + std::to_string(data.frames.links()) + " links, the network " +
                std::to_string(links));
    require(data.frames.periods().empty() || data.frames.periods().back() < periods,
            "there are more frames than periods");
    for (const ReportAlarm& alarm : data.alarms)
        require(alarm.period < periods && (!alarm.cleared || *alarm.cleared <= periods),
                "alarm '" + alarm.text + "' is in no period");
    for (const ReportEvent& event : data.events)
        require(event.period < periods && (!event.link || *event.link < links),
                "event '" + event.text + "' is in no period or on no link");
    if (!wrong.empty()) throw Error(wrong);
}

/// Two characters a value, six bits each, the higher ones first: half the size of digits and commas.
std::string packed(std::span<const std::uint16_t> values) {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static_assert(ReportFrames::kLargest == 64 * 64 - 1);
    std::string text;
    text.reserve(2 * values.size());
    for (const unsigned value : values) {
        text += kDigits[value >> 6U];
        text += kDigits[value & 63U];
    }
    return text;
}

void write_network(JsonWriter& to, const ReportNetwork& network) {
    // Columns, not rows: names of members would be most of the text.
    to.object("network", [&] {
        to.object("nodes", [&] {
            to.list("name", network.nodes, [&](const ReportNode& node) { to.out.text(node.name); });
            to.list("x", network.nodes, [&](const ReportNode& node) { to.out.number(node.x); });
            to.list("y", network.nodes, [&](const ReportNode& node) { to.out.number(node.y); });
        });
        to.object("links", [&] {
            to.list("name", network.links, [&](const ReportLink& link) { to.out.text(link.name); });
            to.list("from", network.links, [&](const ReportLink& link) { to.out.integer(link.from); });
            to.list("to", network.links, [&](const ReportLink& link) { to.out.integer(link.to); });
            to.list("capacity", network.links, [&](const ReportLink& link) { to.out.number(link.capacity); });
        });
    });
}

void write_run(JsonWriter& to, const ReportData& data) {
    to.object("periods", [&] {
        to.put("minutes", data.minutes);
        to.list("labels", data.labels, [&](const std::string& label) { to.out.text(label); });
    });
    to.object("lead", [&] {
        for (const NamedSeries& series : kSeries) to.numbers(series.name, data.lead.*series.values);
    });
    to.object("frames", [&] {
        to.list("periods", data.frames.periods(), [&](Index period) { to.out.integer(period); });
        to.put("permille", packed(data.frames.values()));
    });
    to.objects("methods", data.methods, [&](const ReportMethod& method) {
        to.put("name", method.name);
        to.put("label", method.label);
        to.put("totalCost", method.total_cost);
        to.put("ratio", method.ratio);
        to.put("churn", method.churn);
        to.put("overloadShare", method.overload_share);
        to.put("utilisationMax", method.utilisation_max);
        to.put("utilisationP95", method.utilisation_p95);
        to.put("gradientsPerPeriod", method.gradients_per_period);
        to.put("seconds", method.seconds);
        to.put("isLead", method.is_lead);
        to.put("isFloor", method.is_floor);
        to.numbers("cost", method.cost);
    });
    to.objects("alarms", data.alarms, [&](const ReportAlarm& alarm) {
        to.put("period", alarm.period);
        to.put("cleared", alarm.cleared);
        to.put("kind", alarm.kind);
        to.put("subject", alarm.subject);
        to.put("text", alarm.text);
    });
    to.objects("events", data.events, [&](const ReportEvent& event) {
        to.put("period", event.period);
        to.put("text", event.text);
        to.put("link", event.link);
        to.put("capacity", event.capacity);
    });
}

void write_findings(JsonWriter& to, const ReportData& data) {
    to.object("certificate", [&] {
        to.put("conclusion", data.conclusion);
        to.objects("claims", data.claims, [&](const ReportClaim& claim) {
            to.put("id", claim.id);
            to.put("statement", claim.statement);
            to.put("verdict", claim.verdict);
            to.put("left", claim.left);
            to.put("right", claim.right);
            to.put("explanation", claim.explanation);
        });
    });
    to.objects("kpis", data.kpis, [&](const ReportKpi& kpi) {
        to.put("name", kpi.name);
        to.put("value", kpi.value);
        to.put("help", kpi.help);
    });
    to.objects("sums", data.sums, [&](const ReportSum& sum) {
        to.put("name", sum.name);
        to.put("total", sum.total);
        to.put("parts", sum.parts);
    });
}

}  // namespace

std::string to_json(const ReportData& data) {
    check(data);
    JsonWriter to;
    to.out.open('{');
    to.put("kind", std::string("route"));
    to.put("title", data.title);
    to.put("version", data.version);
    to.put("command", data.command);
    to.objects("settings", data.settings, [&](const ReportSetting& setting) {
        to.put("name", setting.name);
        to.put("value", setting.value);
        to.put("isDefault", setting.is_default);
    });
    to.put("demandUnit", data.demand_unit);
    to.put("costUnit", data.cost_unit);
    write_network(to, data.network);
    write_run(to, data);
    write_findings(to, data);
    to.out.close('}');
    return to.out.take();
}

std::string to_json(const ReportNetwork& network) {
    JsonWriter to;
    to.out.open('{');
    write_network(to, network);
    to.out.close('}');
    return to.out.take();
}

std::string report_html(const ReportData& data) {
    require_report_page();  // before the work
    return page_with_data(to_json(data));
}

void write_report(const std::string& path, const ReportData& data) {
    write_whole_file(path, report_html(data));
}

}  // namespace proxstream
