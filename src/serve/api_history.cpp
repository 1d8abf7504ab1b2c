/// Routes of what has happened: ledger, turns, the page of a learner and its events. Ledger and turns are
/// read piece by piece, without a lock that a slow client would hold: stored rows never change, and an answer
/// ends at the turn that was the last one when it began.
#include "proxstream/core/error.hpp"

#include "io/field_text.hpp"
#include "run/report_page.hpp"
#include "serve/api_routes.hpp"

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::uint64_t kUsualLimit = 1000;
constexpr std::uint64_t kLargestLimit = 10000;

std::uint64_t limit_of(const Call& call) {
    return std::clamp<std::uint64_t>(call.parameter("limit", kUsualLimit), 1, kLargestLimit);
}

/// The page's data from the run and its store, as of a moment between two turns.
void with_page(const CallPtr& call, std::function<void(const std::string& json)> done) {
    const auto page = std::make_shared<PageParts>();
    call->queue->read([call, page, done = std::move(done)](ServedRun& run) -> Workers::Task {
        if (!call->wanted()) return {};
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

/// Lines of an account, up to the turn `last`. Turns are not cut: one may have several lines.
struct LedgerPieces {
    std::uint64_t account;
    Turn next;
    Turn last;
    bool begun = false;

    bool append(const RunStore& store, std::string& piece) {
        bool more = false;
        const Turn first = next;
        store.ledger_rows(account, first, last, [&](Turn turn, std::string_view line) {
            if (turn == 0 && begun) return true;
            more = turn >= next && piece.size() >= kPiece;
            if (more) return false;
            next = std::max(turn + 1, next);
            piece += line;
            return true;
        });
        if (std::exchange(begun, true) && store.state().folded >= first)
            throw IoError(store.path(), "was folded while the ledger was read", ESTALE);
        return more;
    }
};

void get_ledger(const CallPtr& call) {
    ask_store(call, [call](const RunStore& store) {
        const auto pieces = std::make_shared<LedgerPieces>(
            LedgerPieces{.account = call->parameter("account", 0),
                         .next = call->parameter("first", 1),
                         .last = std::min<Turn>(call->parameter("last", kAllTurns), store.state().last)});
        const std::uint64_t limit = limit_of(*call);
        HttpResponse head{.type = "application/x-ndjson"};
        std::uint64_t rows = 0;
        Turn seen = 0;
        // The header leads to the next page, so that one is found first.
        store.ledger_rows(pieces->account, pieces->next, pieces->last, [&](Turn turn, std::string_view) {
            if (rows < limit || turn == seen) {
                rows += turn > 0 ? 1 : 0;
                seen = turn;
                return true;
            }
            std::string next = fmt::format("/v1/learners/{}/ledger?account={}&first={}&limit={}",
                                           call->queue->name(), pieces->account, turn, limit);
            if (call->parameters.contains("last"))
                next += fmt::format("&last={}", call->parameter("last", 0));
            head.headers.emplace_back("Link", fmt::format("<{}>; rel=\"next\"", next));
            pieces->last = seen;
            return false;
        });
        send_pieces(call, store, std::move(head), [pieces](const RunStore& from, std::string& piece) {
            return pieces->append(from, piece);
        });
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

/// Turns without a gap, up to the turn `last`. If turns are folded before they are read, the list ends there.
struct TurnPieces {
    std::shared_ptr<LearnerQueue> queue;
    Turn next;
    Turn last;
    std::uint64_t left;  // of the limit
    bool begun = false;

    bool append(const RunStore& store, std::string& piece) {
        bool more = false;
        bool ends_early = begun;  // unless the next turn is there
        if (!begun) piece = R"({"turns":[)";
        store.turns(next, last, [&](const StoredTurn& turn) {
            ends_early = left == 0 || (begun && turn.turn != next);
            more = !ends_early && piece.size() >= kPiece;
            if (ends_early || more) return false;
            piece += (std::exchange(begun, true) ? "," : "") + turn_json(*queue, turn);
            next = turn.turn + 1;
            --left;
            return true;
        });
        if (more) return true;
        ends_early = ends_early && next <= last;
        piece += ends_early ? fmt::format(R"(],"next":{}}})", next) : R"(],"next":null})";
        return false;
    }
};

void get_turns(const CallPtr& call) {
    ask_store(call, [call](const RunStore& store) {
        const auto pieces = std::make_shared<TurnPieces>(
            TurnPieces{.queue = call->queue,
                       .next = call->parameter("first", 1),
                       .last = std::min<Turn>(call->parameter("last", kAllTurns), store.state().last),
                       .left = limit_of(*call)});
        send_pieces(call, store, {}, [pieces](const RunStore& from, std::string& piece) {
            return pieces->append(from, piece);
        });
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
