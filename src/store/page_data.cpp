#include "store/page_data.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"

#include <algorithm>

namespace proxstream {
namespace {

constexpr int kDigits = 6;  // of a number in a chart

void put_checked(JsonWriter& to, const std::string& name, const std::string& value) {
    if (!value.empty() && !nlohmann::json::accept(value))
        throw DataError({name, 0, 0, {}}, "not JSON", "a JSON object");
    to.json(name, value);
}

/// A list over the buckets.
template <class Write>
void put_column(JsonWriter& to, const Series& series, const Write& write) {
    to.out.open('[');
    for (Index bucket = 0; bucket < series.buckets(); ++bucket) write(bucket);
    to.out.close(']');
}

/// A list of columns, one per channel.
template <class Write>
void put_columns(JsonWriter& to, std::string_view name, const Series& series, const Write& write) {
    to.out.key(name);
    to.out.open('[');
    for (Index channel = 0; channel < series.channels(); ++channel)
        put_column(to, series, [&](Index bucket) { write(bucket, channel); });
    to.out.close(']');
}

void put_series(JsonWriter& to, const Series& series) {
    to.object("series", [&] {
        to.out.key("first");
        put_column(to, series, [&](Index bucket) { to.out.integer(series.first(bucket)); });
        to.out.key("last");
        put_column(to, series, [&](Index bucket) { to.out.integer(series.last(bucket)); });
        // The page needs the counts to add further turns to a mean.
        put_columns(to, "known", series, [&](Index b, Index c) { to.out.integer(series.known(b, c)); });
        const auto numbers = [&](std::string_view name, Real (Series::*read)(Index, Index) const) {
            put_columns(to, name, series,
                        [&](Index b, Index c) { to.out.number((series.*read)(b, c), kDigits); });
        };
        numbers("mean", &Series::mean);
        numbers("least", &Series::least);
        numbers("most", &Series::most);
        numbers("latest", &Series::latest);
    });
}

}  // namespace

void put_members(JsonWriter& to, const PageState& state) {
    to.put("turn", state.turn);
    to.put("saved", state.saved);
    to.put("folded", state.folded);
    to.put("finished", state.finished);
    to.put("status", state.status);
    to.put("message", state.message);
}

void put_members(JsonWriter& to, const PageAlarm& alarm) {
    to.put("id", alarm.id);
    to.put("turn", alarm.turn);
    to.put("cleared", alarm.cleared);
    to.put("kind", alarm.kind);
    to.put("subject", alarm.subject);
    to.put("text", alarm.text);
}

void put_members(JsonWriter& to, const PageFork& fork) {
    to.put("name", fork.name);
    to.put("url", fork.url);
    to.put("begun", fork.begun);
    put_settings(to, fork.settings);
    to.put("turn", fork.turn);
}

void put_settings(JsonWriter& to, const SettingList& settings) {
    to.objects("settings", settings, [&](const auto& setting) {
        to.put("name", setting.first);
        to.put("value", setting.second);
    });
}

void put_claims(JsonWriter& to, std::span<const Inequality> claims) {
    to.objects("claims", claims, [&](const Inequality& claim) {
        to.put("id", claim.id);
        to.put("statement", claim.statement);
        to.put("verdict", std::string(name(claim.verdict)));
        to.put("left", claim.left);
        to.put("right", claim.right);
        to.put("explanation", claim.explanation);
    });
}

std::string page_json(const PageParts& parts) {
    const RunIdentity& run = parts.identity;
    return json_object([&](JsonWriter& to) {
        to.put("kind", std::string("run"));
        to.put("run", run.kind);
        to.put("title", run.title.empty() ? run.kind : run.title);
        to.put("version", run.version);
        to.put("command", run.command);
        to.put("created", run.created);
        to.put("id", run.id);
        put_settings(to, run.settings);
        to.json("state", page_json(parts.state));
        to.list("channels", run.channels, [&](const std::string& channel) { to.out.text(channel); });
        put_series(to, parts.series);
        to.objects("alarms", parts.alarms, [&](const PageAlarm& alarm) { put_members(to, alarm); });
        to.json("certificate", page_certificate(parts.certificate, run.kind));
        put_checked(to, "decision", parts.decision);
        put_checked(to, "scenery", run.scenery);
        put_checked(to, "picture", parts.picture);
        put_checked(to, "summary", parts.summary);
        if (parts.live_url.empty()) {
            to.json("live", "null");
        } else {
            to.object("live", [&] { to.put("url", parts.live_url); });
        }
        to.objects("forks", parts.forks, [&](const PageFork& fork) { put_members(to, fork); });
    });
}

std::string turns_json(Turn first, std::span<const std::vector<Real>> figures) {
    return json_object([&](JsonWriter& to) {
        to.put("first", first);
        to.put("last", first + figures.size() - (figures.empty() ? 0 : 1));
        to.list("figures", figures, [&](const std::vector<Real>& turn) {
            to.out.open('[');
            for (const Real value : turn) to.out.number(value, kDigits);
            to.out.close(']');
        });
    });
}

std::string series_json(const Series& series, Turn turn) {
    return json_object([&](JsonWriter& to) {
        put_series(to, series);
        to.put("turn", turn);
    });
}

PageParts page_parts(const RunStore& store) {
    const StoreState state = store.state();
    PageParts parts{.identity = store.identity()};
    parts.state = {.turn = state.last,
                   .saved = state.saved,
                   .folded = state.folded,
                   .finished = state.finished,
                   .status = state.running ? "running" : "stopped",
                   .message = {}};
    if (!state.running && !state.finished) parts.state.message = "continue it with proxstream resume";
    parts.series = store.series();
    parts.alarms = page_alarms(store.alarms());
    // The certificate saved at the end of a run covers all of it. Before the end the ledgers are certified.
    parts.certificate = store.certificate();
    if (!state.finished || parts.certificate.empty()) {
        const std::vector<Certificate> accounts = store.certify();
        std::string list;
        for (const Certificate& account : accounts) list += (list.empty() ? "[" : ",") + to_json(account);
        if (!list.empty()) parts.certificate = list + "]";
    }
    // Other kinds of runs save the data of a page of their own.
    if (parts.identity.kind == "learn") parts.summary = store.report();
    if (const auto last = store.turn(state.last)) parts.decision = last->decision;
    return parts;
}

std::vector<PageAlarm> page_alarms(std::span<const AlarmOfTurn> alarms) {
    std::vector<PageAlarm> found;
    for (const auto& [turn, alarm] : alarms) {
        if (alarm.raised) {
            found.push_back({alarm.id, turn, {}, alarm.kind, alarm.subject, alarm.text});
            continue;
        }
        const auto raised = std::find_if(found.rbegin(), found.rend(),
                                         [id = alarm.id](const PageAlarm& each) { return each.id == id; });
        if (raised != found.rend() && !raised->cleared) raised->cleared = turn;
    }
    return found;
}

}  // namespace proxstream
