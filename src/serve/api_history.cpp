/// What has happened: ledger, turns, the page and its events.
#include "run/report_page.hpp"
#include "serve/api_answers.hpp"
#include "serve/api_routes.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

#include <fmt/format.h>

namespace proxstream::api {
namespace {

constexpr Turn kNoEnd = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kUsualLimit = 1000;
constexpr std::uint64_t kLargestLimit = 10000;
constexpr std::size_t kLargestAnswer = std::size_t{16} << 20U;  // bytes; then the rest is for the next one

std::uint64_t limit_of(const Call& call) {
    return std::clamp<std::uint64_t>(call.number("limit", kUsualLimit), 1, kLargestLimit);
}

/// The page's data from the run and its store, as of a moment between two turns.
void with_page(const CallPtr& call, std::function<void(const std::string& json)> done) {
    const auto page = std::make_shared<PageParts>();
    call->desk->read([call, page, done = std::move(done)](ServedRun& run) -> Workers::Task {
        bool made = false;
        guarded(*call, [&] {
            page->identity = run.journal().identity();
            page->series = run.journal().series();
            page->decision = run.decision();
            bool sound = false;
            page->certificate = run.certificate(sound);
            page->picture = run.picture();
            if (page->picture == "{}") page->picture.clear();
            made = true;
        });
        if (!made) return {};
        return [call, page, done] {
            // After the commit: the state is that of the turns above.
            page->state = call->desk->snapshot()->state;
            ask_store(call, [call, page, done](const RunStore& store) {
                page->alarms = page_alarms(store.alarms());
                page->live_url = "/v1/learners/" + call->desk->name();
                page->forks = call->context.roster.forks_of(*call->desk);
                done(page_json(*page));
            });
        };
    });
}

std::string escaped_html(std::string_view text) {
    std::string html;
    for (const char c : text) {
        switch (c) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            default:
                html += c;
        }
    }
    return html;
}

}  // namespace

void get_ledger(const CallPtr& call) {
    ask_store(call, [call](const RunStore& store) {
        const std::uint64_t account = call->number("account", 0);
        const Turn first = call->number("first", 1);
        const Turn last = call->number("last", kNoEnd);
        const std::uint64_t limit = limit_of(*call);
        HttpResponse response{.type = "application/x-ndjson"};
        std::uint64_t rows = 0;
        store.ledger_rows(account, first, last, [&](Turn turn, std::string_view line) {
            if (turn > 0 && (rows == limit || response.body.size() >= kLargestAnswer)) {
                std::string next = fmt::format("/v1/learners/{}/ledger?account={}&first={}&limit={}",
                                               call->desk->name(), account, turn, limit);
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

void get_turns(const CallPtr& call) {
    ask_store(call, [call](const RunStore& store) {
        const Turn first = call->number("first", 1);
        const std::uint64_t limit = limit_of(*call);
        std::string json = R"({"turns":[)";
        std::uint64_t count = 0;
        std::optional<Turn> next;
        store.turns(first, call->number("last", kNoEnd), [&](const StoredTurn& turn) {
            if (count == limit || json.size() >= kLargestAnswer) {
                next = turn.turn;
                return false;
            }
            json += (count++ > 0 ? "," : "") + stored_turn_json(*call->desk, turn);
            return true;
        });
        json += next ? fmt::format(R"(],"next":{}}})", *next) : R"(],"next":null})";
        call->send(200, std::move(json));
    });
}

void get_page(const CallPtr& call) {
    with_page(call, [call](const std::string& json) { call->send(200, json); });
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

void get_index_html(const CallPtr& call) {
    std::string rows;
    for (const auto& desk : call->context.roster.all()) {
        const auto now = desk->snapshot();
        rows += fmt::format("<tr><td><a href=\"/learners/{0}\">{0}</a><td>{1}<td>{2}<td>{3} {4}\n",
                            desk->name(), escaped_html(desk->identity().kind), now->state.turn,
                            now->state.status, escaped_html(now->state.message));
    }
    call->reply->send(
        {.type = "text/html; charset=utf-8",
         .body = fmt::format("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">"
                             "<meta name=\"viewport\" content=\"width=device-width\">"
                             "<title>proxstream</title><h1>Learners</h1>\n"
                             "<table><tr><th>learner<th>kind<th>turn<th>state\n{}</table>"
                             "<p><a href=\"/openapi.json\">API</a>",
                             rows),
         .headers = {{"Content-Security-Policy", "default-src 'none'"}, {"Cache-Control", "no-store"}}});
}

void get_events(const CallPtr& call) {
    std::optional<Turn> after;
    if (call->request.query.contains("after")) after = call->number("after", 0);
    if (const auto id = call->request.headers.find("last-event-id"); id != call->request.headers.end()) {
        Turn turn = 0;
        const char* end = id->second.data() + id->second.size();
        const auto [stop, status] = std::from_chars(id->second.data(), end, turn);
        if (status == std::errc{} && stop == end) after = turn;
    }
    const auto stream =
        call->reply->stream({.type = "text/event-stream",
                             .headers = {{"Cache-Control", "no-store"}, {"X-Accel-Buffering", "no"}}});
    call->desk->events().subscribe(stream, after);
}

}  // namespace proxstream::api
