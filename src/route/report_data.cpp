#include "route/report_data.hpp"

#include "proxstream/core/error.hpp"

#include "io/json_writer.hpp"
#include "io/output_file.hpp"
#include "run/report_page.hpp"
#include "store/page_data.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string_view>

namespace proxstream {
namespace {

/// Two characters per value, six bits each, the higher bits first: half the size of digits and commas.
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
    // By columns: in rows, the names of members would be most of the text.
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
    to.object("primary", [&] {
        for (const auto& [name, values] : data.primary) to.numbers(name, values);
    });
    to.object("frames", [&] {
        to.list("periods", data.frames.periods(), [&](Index period) { to.out.integer(period); });
        to.put("permille", packed(data.frames.values()));
    });
    to.objects("methods", data.methods, [&](const ReportMethod& method) {
        to.put("name", method.name);
        to.put("label", method.label);
        for (const auto& column : method_columns()) to.put(column.name, column.read(method));
        to.put("isPrimary", method.primary);
        to.put("isLowerBound", method.lower_bound);
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
        put_claims(to, data.claims);
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
    archive.fields(Field{"links", links_}, Field{"seen", seen_}, Field{"stride", stride_});
    archive.require(stride_ > 0, "a stride above 0");
    archive.list("periods", periods_);
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

void write_report(const std::string& path, const ReportData& data) {
    require_report_page();  // before the work
    write_whole_file(path, page_with_data(to_json(data)));
}

}  // namespace proxstream
