/// Routes of what has happened: ledger, turns, the page of a learner and its events.
#include "io/field_text.hpp"
#include "run/report_page.hpp"
#include "serve/api_routes.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr Turn kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kUsualLimit = 1000;
constexpr std::uint64_t kLargestLimit = 10000;
constexpr std::size_t kLargestAnswer = std::size_t{16} << 20U;  // bytes; the rest is left for the next page

std::uint64_t limit_of(const Call& call) {
    return std::clamp<std::uint64_t>(call.parameter("limit", kUsualLimit), 1, kLargestLimit);
}

/// The page's data from the run and its store, as of a moment between two turns.
void with_page(const CallPtr& call, std::function<void(const std::string& json)> done) {
    const auto page = std::make_shared<PageParts>();
    call->queue->read([call, page, done = std::move(done)](ServedRun& run) -> Workers::Task {
        const bool made = guarded(*call, [&] {
            page->identity = run.journal().identity();
            page->series = run.journal().series();
            page->decision = run.decision();
            bool sound = false;
            page->certificate = run.certificate(sound);
            page->picture = run.picture();
            if (page->picture == "{}") page->picture.clear();
        });
        if (!made) return {};
        return [call, page, done] {
            // After the commit: the state is that of the turns above.
            page->state = call->queue->snapshot()->state;
            ask_store(call, [call, page, done](const RunStore& store) {
                page->alarms = page_alarms(store.alarms());
                page->live_url = "/v1/learners/" + call->queue->name();
                page->forks = call->context.registry.forks_of(*call->queue);
                done(page_json(*page));
            });
        };
    });
}

void get_ledger(const CallPtr& call) {
    ask_store(call, [call](const RunStore& store) {
        const std::uint64_t account = call->parameter("account", 0);
        const Turn last = call->parameter("last", kNoEnd);
        const std::uint64_t limit = limit_of(*call);
        HttpResponse response{.type = "application/x-ndjson"};
        std::uint64_t rows = 0;
        store.ledger_rows(account, call->parameter("first", 1), last, [&](Turn turn, std::string_view line) {
            if (turn > 0 && (rows == limit || response.body.size() >= kLargestAnswer)) {
                std::string next = fmt::format("/v1/learners/{}/ledger?account={}&first={}&limit={}",
                                               call->queue->name(), account, turn, limit);
                if (last != kNoEnd) next += fmt::format("&last={}", last);
                response.headers.emplace_back("Link", fmt::format("<{}>; rel=\"next\"", next));
                return false;
            }
            rows += turn > 0 ? 1 : 0;
            response.body += line;
            return true;
        });
        call->reply->send(std::move(response));
    });
}

std::string turn_json(const LearnerQueue& queue, const StoredTurn& turn) {
    return json_object([&](JsonWriter& to) {
        to.put("turn", turn.turn);
        to.put("time", static_cast<Index>(turn.time));
        to.put("key", turn.key.empty() ? std::optional<std::string>() : turn.key);
        to.json("record", turn.input);
        to.json("answer", turn.decision);
        put_figures(to, queue, turn.figures);
    });
}

void get_turns(const CallPtr& call) {
    ask_store(call, [call](const RunStore& store) {
        const std::uint64_t limit = limit_of(*call);
        std::string json = R"({"turns":[)";
        std::uint64_t count = 0;
        std::optional<Turn> next;
        store.turns(call->parameter("first", 1), call->parameter("last", kNoEnd),
                    [&](const StoredTurn& turn) {
                        if (count == limit || json.size() >= kLargestAnswer) {
                            next = turn.turn;
                            return false;
                        }
                        json += (count++ > 0 ? "," : "") + turn_json(*call->queue, turn);
                        return true;
                    });
        json += next ? fmt::format(R"(],"next":{}}})", *next) : R"(],"next":null})";
        call->send(std::move(json));
    });
}

void get_page(const CallPtr& call) {
    with_page(call, [call](const std::string& json) { call->send(json); });
}

void get_learner_html(const CallPtr& call) {
    if (report_page().empty())
        return call->refuse({.status = 404, .message = "this program was built without the page"});
    with_page(call, [call](const std::string& json) {
        call->reply->send({.type = "text/html; charset=utf-8",
                           .body = live_page_with_data(json),
                           .headers = {{"Cache-Control", "no-store"}}});
    });
}

void get_events(const CallPtr& call) {
    std::optional<Turn> after;
    if (call->parameters.contains("after")) after = call->parameter("after", 0);
    if (const auto id = call->request.headers.find("last-event-id"); id != call->request.headers.end()) {
        if (const auto turn = parse_count(id->second)) after = turn;
    }
    const auto stream =
        call->reply->stream({.type = "text/event-stream",
                             .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}});
    call->queue->events().subscribe(stream, after);
}

}  // namespace

std::vector<Route> history_routes() {
    using enum QueryParameter::Type;
    const QueryParameter first{"first", whole, "the first turn; 1 if it is not given"};
    const QueryParameter last{"last", whole, "the last turn; without a limit if it is not given"};
    const QueryParameter limit{"limit", whole,
                               "the most turns of an answer; 1000 if it is not given, 10000 at most"};
    return {
        Route{
            "GET", "/v1/learners/{name}/ledger", "getLedger",
            "The sealed ledger, a JSON line for each round that is kept (with keep = turns none is); a Link "
            "header leads to the next page",
            "the header's line, then the rounds", "", get_ledger}
            .with({{"account", whole, "0 if it is not given; a route has one for each epoch"},
                   first,
                   last,
                   limit})
            .sends("application/x-ndjson"),
        Route{"GET", "/v1/learners/{name}/turns", "getTurns", "Stored turns",
              "the turns that are not yet folded", "Turns", get_turns}
            .with({first, last, limit}),
        Route{"GET", "/v1/learners/{name}/page", "getPage", "The data of the learner's page",
              "the page's data", "Page", get_page},
        Route{"GET", "/v1/learners/{name}/events", "getEvents",
              "Server-sent events: turns, series, state, alarm, picture, fork", "an endless stream", "",
              get_events}
            .with({{"after", whole, "the last turn that is known; a Last-Event-ID header comes first"}})
            .sends("text/event-stream"),
        Route{"GET", "/learners/{name}", "getLearnerPage", "The live page of a learner, for a browser",
              "a page", "", get_learner_html}
            .sends("text/html; charset=utf-8"),
    };
}

}  // namespace proxstream
