#include "store/page_data.hpp"

#include "proxstream/core/error.hpp"

#include "core/json.hpp"
#include "io/json_writer.hpp"
#include "store/page_certificate.hpp"

namespace proxstream {
namespace {

constexpr int kDigits = 6;  // of a number in a chart

/// JSON that others wrote, checked; null where there is none.
void put_piece(JsonWriter& to, const std::string& name, const std::string& piece) {
    to.out.key(name);
    if (piece.empty()) return to.out.null();
    if (!nlohmann::json::accept(piece)) throw DataError({name, 0, 0, {}}, "it is no JSON", "a JSON object");
    to.out.json(piece);
}

void put_settings(JsonWriter& to, const SettingList& settings) {
    to.objects("settings", settings, [&](const auto& setting) {
        to.put("name", setting.first);
        to.put("value", setting.second);
    });
}

void put_state(JsonWriter& to, const PageState& state) {
    to.put("turn", Index{state.turn});
    to.put("saved", Index{state.saved});
    to.put("folded", Index{state.folded});
    to.put("finished", state.finished);
    to.put("status", state.status);
    to.put("message", state.message);
}

void put_alarm(JsonWriter& to, const PageAlarm& alarm) {
    to.put("id", Index{alarm.id});
    to.put("turn", Index{alarm.turn});
    to.put("cleared", alarm.cleared ? std::optional<Index>(*alarm.cleared) : std::nullopt);
    to.put("kind", alarm.kind);
    to.put("subject", alarm.subject);
    to.put("text", alarm.text);
}

void put_fork(JsonWriter& to, const PageFork& fork) {
    to.put("name", fork.name);
    to.put("url", fork.url);
    to.put("begun", Index{fork.begun});
    put_settings(to, fork.settings);
    to.put("turn", Index{fork.turn});
}

/// A column a channel: what a chart draws.
template <class Read>
void put_columns(JsonWriter& to, std::string_view name, const Series& series, const Read& read) {
    to.out.key(name);
    to.out.open('[');
    for (Index channel = 0; channel < series.channels(); ++channel) {
        to.out.open('[');
        for (Index bucket = 0; bucket < series.buckets(); ++bucket) read(bucket, channel);
        to.out.close(']');
    }
    to.out.close(']');
}

void put_series(JsonWriter& to, const Series& series) {
    to.object("series", [&] {
        to.out.key("first");
        to.out.open('[');
        for (Index bucket = 0; bucket < series.buckets(); ++bucket) to.out.integer(series.first(bucket));
        to.out.close(']');
        to.out.key("last");
        to.out.open('[');
        for (Index bucket = 0; bucket < series.buckets(); ++bucket) to.out.integer(series.last(bucket));
        to.out.close(']');
        // Whoever adds turns to a bucket has to know what its mean is made of.
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

template <class Write>
std::string object(const Write& write) {
    JsonWriter to;
    to.out.open('{');
    write(to);
    to.out.close('}');
    return to.out.take();
}

}  // namespace

std::string page_json(const PageParts& parts) {
    const RunIdentity& run = parts.identity;
    return object([&](JsonWriter& to) {
        to.put("kind", std::string("run"));
        to.put("run", run.kind);
        to.put("title", run.title.empty() ? run.kind : run.title);
        to.put("version", run.version);
        to.put("command", run.command);
        to.put("created", run.created);
        to.put("id", run.id);
        put_settings(to, run.settings);
        to.object("state", [&] { put_state(to, parts.state); });
        to.list("channels", run.channels, [&](const std::string& channel) { to.out.text(channel); });
        put_series(to, parts.series);
        to.objects("alarms", parts.alarms, [&](const PageAlarm& alarm) { put_alarm(to, alarm); });
        to.out.key("certificate");
        to.out.json(page_certificate(parts.certificate, run.kind));
        put_piece(to, "decision", parts.decision);
        put_piece(to, "scenery", run.scenery);
        put_piece(to, "picture", parts.picture);
        to.out.key("live");
        if (parts.live_url.empty()) {
            to.out.null();
        } else {
            to.out.open('{');
            to.put("url", parts.live_url);
            to.out.close('}');
        }
        to.objects("forks", parts.forks, [&](const PageFork& fork) { put_fork(to, fork); });
    });
}

std::string turns_json(Turn first, std::span<const std::vector<Real>> figures) {
    return object([&](JsonWriter& to) {
        to.put("first", Index{first});
        to.put("last", Index{first + figures.size() - (figures.empty() ? 0 : 1)});
        to.list("figures", figures, [&](const std::vector<Real>& turn) {
            to.out.open('[');
            for (const Real value : turn) to.out.number(value, kDigits);
            to.out.close(']');
        });
    });
}

std::string series_json(const Series& series, Turn turn) {
    return object([&](JsonWriter& to) {
        put_series(to, series);
        to.put("turn", Index{turn});
    });
}

std::string state_json(const PageState& state) {
    return object([&](JsonWriter& to) { put_state(to, state); });
}

std::string alarm_json(const PageAlarm& alarm) {
    return object([&](JsonWriter& to) { put_alarm(to, alarm); });
}

std::string fork_json(const PageFork& fork) {
    return object([&](JsonWriter& to) { put_fork(to, fork); });
}

}  // namespace proxstream
