/// Sends the events of a run to its open pages, as server-sent events.
///
/// Turns are sent in bundles, at most four a second, however fast the run is. A client that has missed more
/// turns than the hub keeps gets the series of the whole run instead, in one message.
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

    /// Asks for the series of the run, for its picture, or for both. They come later and from any thread,
    /// through series() and picture().
    using Ask = std::function<void(bool series, bool picture)>;

    EventHub(Workers& workers, Turn last, const PageState& state, std::vector<PageAlarm> alarms);
    void connect(Ask ask);

    // From the learner.
    void turn(Turn turn, std::vector<Real> figures);
    void alarm(Turn turn, const StoredAlarm& alarm);
    void state(const PageState& state);
    void fork(const PageFork& fork);
    void series(const std::string& json, Turn turn);
    void picture(std::string json);

    /// `after`: the last turn that the client has; none: it gets the turns that are kept here.
    void subscribe(std::shared_ptr<EventStream> stream, std::optional<Turn> after);
    std::size_t subscribers() const;
    /// Ends all streams.
    void close();
    /// Sends what is new. A timer calls it while there are subscribers.
    void beat();

  private:
    struct Notice {  // an alarm or a fork
        std::uint64_t number = 0;
        Turn turn = 0;
        std::string text;
    };
    struct Subscriber {
        std::shared_ptr<EventStream> stream;
        Turn seen = 0;  // the last turn that was sent
        bool wants_series = false;
        std::uint64_t notices = 0;   // the last one that was sent
        std::uint64_t states = 0;    // the version that was sent
        std::uint64_t pictures = 0;  // likewise
    };

    void schedule();
    void notify(Turn turn, std::string text);
    bool send_news(Subscriber& subscriber) const;

    Workers& workers_;
    mutable std::mutex mutex_;
    Ask ask_;
    std::vector<Subscriber> subscribers_;
    bool beating_ = false;
    unsigned beats_ = 0;
    bool closed_ = false;

    Turn last_;
    std::deque<std::vector<Real>> figures_;  // of the turns up to last_
    std::vector<PageAlarm> open_alarms_;
    std::deque<Notice> notices_;
    std::uint64_t notice_count_ = 0;
    std::string state_;  // as JSON, and below
    std::uint64_t state_version_ = 1;
    std::string picture_;
    std::uint64_t picture_version_ = 0;
    Turn pictured_ = 0;  // the last turn at which a picture was asked for
    bool picture_asked_ = false;
    bool series_asked_ = false;
};

}  // namespace proxstream
