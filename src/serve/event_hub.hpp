/// What happens to a run, told to whoever looks at its page: server-sent events.
///
/// Turns come in bundles, at most four a second, whatever the pace of the run. A client that is further
/// behind than the turns kept here gets the series of the whole run instead, so that a page that was closed
/// for a week comes back with one message.
#pragma once

#include "serve/http_server.hpp"
#include "serve/workers.hpp"
#include "store/page_data.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class EventHub : public std::enable_shared_from_this<EventHub> {
  public:
    static constexpr std::size_t kTurns = 512;
    static constexpr std::size_t kAlarms = 512;
    static constexpr double kBeat = 0.25;         // seconds between bundles
    static constexpr unsigned kPictureBeats = 4;  // between pictures
    static constexpr unsigned kCommentBeats = 40;

    /// Where the rest comes from. Both answer later and from any thread, through series() and picture().
    struct Sources {
        std::function<void()> series;
        std::function<void()> picture;
    };

    EventHub(Workers& workers, Turn last, const PageState& state, std::vector<PageAlarm> alarms);
    void connect(Sources sources);

    // From the desk.
    void turn(Turn turn, std::vector<Real> figures);
    void alarm(Turn turn, const StoredAlarm& alarm);
    void state(const PageState& state);
    void fork(const PageFork& fork);

    void series(const std::string& json, Turn turn);
    void picture(std::string json);

    /// `after`: the last turn the client has seen; none: it begins with the turns at hand.
    void subscribe(std::shared_ptr<EventStream> stream, std::optional<Turn> after);
    std::size_t subscribers() const;
    /// Ends all streams.
    void close();
    /// One beat; the timer calls it while somebody listens.
    void beat();

  private:
    struct Notice {  // an alarm or a fork
        std::uint64_t number = 0;
        Turn turn = 0;
        std::string text;
    };
    struct Listener {
        std::shared_ptr<EventStream> stream;
        Turn seen = 0;  // the last turn that was sent
        bool wants_series = false;
        std::uint64_t notices = 0;  // up to this number
        std::uint64_t states = 0;   // the version sent
        std::uint64_t pictures = 0;
    };

    void schedule();
    void notify(Turn turn, std::string text);
    bool tell(Listener& listener) const;

    Workers& workers_;
    mutable std::mutex mutex_;
    Sources sources_;
    std::vector<Listener> listeners_;
    bool beating_ = false;
    unsigned beats_ = 0;
    bool closed_ = false;

    Turn last_;
    std::deque<std::vector<Real>> figures_;  // of the turns up to last_
    std::vector<PageAlarm> open_alarms_;
    std::deque<Notice> notices_;
    std::uint64_t notice_count_ = 0;
    std::string state_;
    std::uint64_t state_version_ = 1;
    std::string picture_;
    std::uint64_t picture_version_ = 0;
    Turn pictured_ = 0;  // the turn at which a picture was asked for last
    bool picture_asked_ = false;
    bool series_asked_ = false;
};

}  // namespace proxstream
