#include "serve/event_hub.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

std::string event(std::string_view kind, std::string_view data) {
    return fmt::format("event: {}\ndata: {}\n\n", kind, data);
}

std::string event(std::string_view kind, std::string_view data, Turn id) {
    return fmt::format("id: {}\nevent: {}\ndata: {}\n\n", id, kind, data);
}

}  // namespace

EventHub::EventHub(Workers& workers, Turn last, const PageState& state, std::vector<PageAlarm> alarms)
    : workers_(workers), last_(last), state_(page_json(state)), pictured_(last) {
    if (alarms.size() > kAlarms) alarms.erase(alarms.begin(), alarms.end() - kAlarms);
    for (PageAlarm& alarm : alarms) {
        notify(alarm.cleared.value_or(alarm.turn), event("alarm", page_json(alarm)));
        if (!alarm.cleared) open_alarms_.push_back(std::move(alarm));
    }
}

void EventHub::connect(Ask ask) {
    const std::lock_guard lock(mutex_);
    ask_ = std::move(ask);
}

void EventHub::notify(Turn turn, std::string text) {
    notices_.push_back({++notice_count_, turn, std::move(text)});
    if (notices_.size() > kAlarms) notices_.pop_front();
}

void EventHub::turn(Turn turn, std::vector<Real> figures) {
    const std::lock_guard lock(mutex_);
    if (turn != last_ + 1) figures_.clear();
    last_ = turn;
    figures_.push_back(std::move(figures));
    if (figures_.size() > kTurns) figures_.pop_front();
}

void EventHub::alarm(Turn turn, const StoredAlarm& alarm) {
    const std::lock_guard lock(mutex_);
    const auto same = [&](const PageAlarm& open) { return open.id == alarm.id; };
    const auto raised = std::find_if(open_alarms_.begin(), open_alarms_.end(), same);
    PageAlarm shown{alarm.id, turn, {}, alarm.kind, alarm.subject, alarm.text};
    if (!alarm.raised) {
        if (raised != open_alarms_.end()) {
            shown = *raised;
            open_alarms_.erase(raised);
        }
        shown.cleared = turn;
    } else if (raised == open_alarms_.end()) {
        open_alarms_.push_back(shown);
        if (open_alarms_.size() > kAlarms) open_alarms_.erase(open_alarms_.begin());
    }
    notify(turn, event("alarm", page_json(shown)));
}

void EventHub::state(const PageState& state) {
    const std::lock_guard lock(mutex_);
    std::string text = page_json(state);
    if (text == state_) return;
    state_ = std::move(text);
    ++state_version_;
}

void EventHub::fork(const PageFork& fork) {
    const std::lock_guard lock(mutex_);
    notify(last_, event("fork", page_json(fork)));
}

void EventHub::picture(std::string json) {
    const std::lock_guard lock(mutex_);
    picture_asked_ = false;
    if (json.empty() || json == "{}" || json == picture_) return;
    picture_ = std::move(json);
    ++picture_version_;
}

void EventHub::series(const std::string& json, Turn turn) {
    const std::lock_guard lock(mutex_);
    series_asked_ = false;
    const std::string text = event("series", json, turn);
    for (Subscriber& subscriber : subscribers_) {
        if (!std::exchange(subscriber.wants_series, false)) continue;
        subscriber.stream->send(text);
        subscriber.seen = turn;
    }
}

void EventHub::subscribe(std::shared_ptr<EventStream> stream, std::optional<Turn> after) {
    const std::lock_guard lock(mutex_);
    if (closed_) return stream->close();
    Subscriber subscriber;
    subscriber.stream = std::move(stream);
    subscriber.seen = after.value_or(last_ - std::min<Turn>(last_, figures_.size()));
    subscriber.notices = notice_count_;
    if (after) {
        // The notices of later turns are sent again.
        while (subscriber.notices > 0) {
            const std::uint64_t back = notice_count_ - subscriber.notices;
            if (back >= notices_.size() || notices_[notices_.size() - 1 - back].turn <= *after) break;
            --subscriber.notices;
        }
    }
    subscriber.pictures = picture_version_;
    subscriber.stream->send("retry: 2000\n\n");
    send_news(subscriber);
    subscribers_.push_back(std::move(subscriber));
    schedule();
}

void EventHub::schedule() {
    if (std::exchange(beating_, true)) return;
    workers_.after(kBeat, [weak = weak_from_this()] {
        if (const auto hub = weak.lock()) hub->beat();
    });
}

bool EventHub::send_news(Subscriber& subscriber) const {
    std::string text;
    if (std::exchange(subscriber.states, state_version_) != state_version_) text += event("state", state_);
    for (const Notice& notice : notices_)
        if (notice.number > subscriber.notices) text += notice.text;
    subscriber.notices = notice_count_;
    if (std::exchange(subscriber.pictures, picture_version_) != picture_version_)
        text += event("picture", picture_);
    const bool ahead = subscriber.seen > last_;  // before this run lost its last turns
    if (ahead || last_ - subscriber.seen > figures_.size()) {
        subscriber.wants_series = true;
    } else if (subscriber.seen < last_ && !subscriber.wants_series) {
        const auto behind = static_cast<std::ptrdiff_t>(last_ - subscriber.seen);
        const std::vector<std::vector<Real>> figures(figures_.end() - behind, figures_.end());
        text += event("turns", turns_json(subscriber.seen + 1, figures), last_);
        subscriber.seen = last_;
    }
    if (beats_ % kCommentBeats == 0) text += ":\n\n";
    return text.empty() ? subscriber.stream->open() : subscriber.stream->send(text);
}

void EventHub::beat() {
    Ask ask;
    bool series = false;
    bool picture = false;
    {
        const std::lock_guard lock(mutex_);
        beating_ = false;
        ++beats_;
        std::erase_if(subscribers_, [&](Subscriber& subscriber) { return !send_news(subscriber); });
        if (subscribers_.empty() || closed_) return;
        series = !series_asked_ && std::ranges::any_of(subscribers_, &Subscriber::wants_series);
        series_asked_ = series_asked_ || series;
        picture = !picture_asked_ && beats_ % kPictureBeats == 0 && pictured_ != last_;
        if (picture) {
            picture_asked_ = true;
            pictured_ = last_;
        }
        if (series || picture) ask = ask_;
        schedule();
    }
    if (ask) ask(series, picture);
}

std::size_t EventHub::subscribers() const {
    const std::lock_guard lock(mutex_);
    return subscribers_.size();
}

void EventHub::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const Subscriber& subscriber : subscribers_) subscriber.stream->close();
    subscribers_.clear();
}

}  // namespace proxstream
