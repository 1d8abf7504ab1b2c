#include "route/report_data.hpp"

#include "proxstream/core/error.hpp"

#include "io/json_writer.hpp"
#include "io/output_file.hpp"
#include "run/report_page.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace proxstream {
namespace {

/// Throws Error that names everything in the data whose length or target does not fit.
void check(const ReportData& data) {
    std::string wrong;
    const auto require = [&](bool holds, const std::string& otherwise) {
        if (!holds) wrong += (wrong.empty() ? "report: " : "; ") + otherwise;
    };
    const Index periods = data.labels.size();
    const Index links = data.network.links();
    const auto fits = [&](const std::vector<Real>& series, const std::string& what) {
        require(series.empty() || series.size() == periods, what + " has " + std::to_string(series.size()) +
                                                                " values for " + std::to_string(periods) +
                                                                " periods");
    };
    const auto fits_links = [&](Index values, const std::string& what) {
        require(values == links,
                what + " has " + std::to_string(values) + " values for " + std::to_string(links) + " links");
    };
    for (const NamedSeries& series : kLeadSeries) fits(data.lead.*series.values, std::string(series.name));
    for (const ReportMethod& method : data.methods) fits(method.cost, "the cost of '" + method.name + "'");
    fits_links(data.capacity.size(), "the capacity");
    if (!data.frames.periods().empty()) fits_links(data.frames.links(), "a frame");
    require(data.frames.periods().empty() || data.frames.periods().back() < periods,
            "there are more frames than periods");
    for (const Alarm& alarm : data.alarms)
        require(alarm.period <= periods && (!alarm.cleared || *alarm.cleared <= periods + 1),
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

void write_network(JsonWriter& to, const Network& network, ConstView capacity) {
    std::vector<NodeIndex> nodes(network.nodes());
    std::vector<LinkIndex> links(network.links());
    std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
    std::iota(links.begin(), links.end(), LinkIndex{0});
    // Columns, not rows: names of members would be most of the text.
    to.object("network", [&] {
        to.object("nodes", [&] {
            to.list("name", nodes, [&](NodeIndex node) { to.out.text(network.node_name(node)); });
            to.list("x", nodes, [&](NodeIndex node) { to.out.number(network.place(node)->x); });
            to.list("y", nodes, [&](NodeIndex node) { to.out.number(network.place(node)->y); });
        });
        to.object("links", [&] {
            to.list("name", links, [&](LinkIndex link) { to.out.text(network.link_name(link)); });
            to.list("from", network.all_links(), [&](const Link& link) { to.out.integer(link.from); });
            to.list("to", network.all_links(), [&](const Link& link) { to.out.integer(link.to); });
            to.numbers("capacity", capacity);
        });
    });
}

void write_run(JsonWriter& to, const ReportData& data) {
    to.object("periods", [&] {
        to.put("minutes", data.minutes);
        to.list("labels", data.labels, [&](const std::string& label) { to.out.text(label); });
    });
    to.object("lead", [&] {
        for (const NamedSeries& series : kLeadSeries) to.numbers(series.name, data.lead.*series.values);
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
        to.put("gradientsPerPeriod", method.gradients);
        to.put("seconds", method.seconds);
        to.put("isLead", method.lead);
        to.put("isFloor", method.floor);
        to.numbers("cost", method.cost);
    });
    to.objects("alarms", data.alarms, [&](const Alarm& alarm) {
        to.put("period", alarm.period - 1);
        to.put("cleared", alarm.cleared ? std::optional(*alarm.cleared - 1) : std::nullopt);
        to.put("kind", std::string(name(alarm.kind)));
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
        to.objects("claims", data.claims, [&](const Inequality& claim) {
            to.put("id", claim.id);
            to.put("statement", claim.statement);
            to.put("verdict", std::string(name(claim.verdict)));
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

std::uint16_t permille(Real utilisation) {
    const Real value = std::round(utilisation * 1000);
    if (!(value > 0)) return 0;  // NaN too
    return static_cast<std::uint16_t>(std::min<Real>(value, ReportFrames::kLargest));
}

}  // namespace

ReportFrames::ReportFrames(Index most_frames, Index most_values)
    : most_frames_(std::max<Index>(most_frames, 2)), most_values_(most_values) {}

void ReportFrames::add(std::span<const Real> utilisation) {
    const Index period = seen_++;
    if (utilisation.empty()) return;
    if (links_ == 0) links_ = utilisation.size();
    if (utilisation.size() != links_) throw Error("report: a frame has not as many links as the ones before");
    if (period % stride_ != 0) return;
    periods_.push_back(period);
    for (const Real value : utilisation) values_.push_back(permille(value));
    while (periods_.size() > 2 && (periods_.size() > most_frames_ || values_.size() > most_values_))
        drop_every_other();
}

void ReportFrames::serialise(StateArchive& archive) {
    archive.field("links", links_);
    archive.field("seen", seen_);
    archive.field("stride", stride_);
    archive.require(stride_ > 0, "a stride above 0");
    std::vector<std::uint64_t> kept(periods_.begin(), periods_.end());
    archive.list("periods", kept);
    periods_.assign(kept.begin(), kept.end());
    std::vector<std::uint32_t> permilles(values_.begin(), values_.end());
    archive.list("permilles", permilles);
    archive.require(permilles.size() == links_ * periods_.size(), "a number for every link of every frame");
    values_.clear();
    for (const std::uint32_t each : permilles) values_.push_back(static_cast<std::uint16_t>(each));
}

void ReportFrames::drop_every_other() {
    stride_ *= 2;
    Index kept = 0;
    for (Index i = 0; i < periods_.size(); ++i) {
        if (periods_[i] % stride_ != 0) continue;
        periods_[kept] = periods_[i];
        std::copy_n(values_.begin() + static_cast<std::ptrdiff_t>(i * links_), links_,
                    values_.begin() + static_cast<std::ptrdiff_t>(kept * links_));
        ++kept;
    }
    periods_.resize(kept);
    values_.resize(kept * links_);
}

std::string to_json(const ReportData& data) {
    check(data);
    return json_object([&](JsonWriter& to) {
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
        write_network(to, data.network, data.capacity);
        write_run(to, data);
        write_findings(to, data);
    });
}

std::string network_json(const Network& network, ConstView capacity) {
    return json_object([&](JsonWriter& to) { write_network(to, network, capacity); });
}

std::string report_html(const ReportData& data) {
    require_report_page();  // before the work
    return page_with_data(to_json(data));
}

void write_report(const std::string& path, const ReportData& data) {
    write_whole_file(path, report_html(data));
}

}  // namespace proxstream
