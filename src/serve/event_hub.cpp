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
    : workers_(workers), last_(last), state_(state_json(state)), pictured_(last) {
    if (alarms.size() > kAlarms) alarms.erase(alarms.begin(), alarms.end() - kAlarms);
    for (PageAlarm& alarm : alarms) {
        notify(alarm.cleared.value_or(alarm.turn), event("alarm", alarm_json(alarm)));
        if (!alarm.cleared) open_alarms_.push_back(std::move(alarm));
    }
}

void EventHub::connect(Sources sources) {
    const std::lock_guard lock(mutex_);
    sources_ = std::move(sources);
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
    PageAlarm told{alarm.id, turn, {}, alarm.kind, alarm.subject, alarm.text};
    if (!alarm.raised) {
        if (raised != open_alarms_.end()) {
            told = *raised;
            open_alarms_.erase(raised);
        }
        told.cleared = turn;
    } else if (raised == open_alarms_.end()) {
        open_alarms_.push_back(told);
        if (open_alarms_.size() > kAlarms) open_alarms_.erase(open_alarms_.begin());
    }
    notify(turn, event("alarm", alarm_json(told)));
}

void EventHub::state(const PageState& state) {
    const std::lock_guard lock(mutex_);
    std::string text = state_json(state);
    if (text == state_) return;
    state_ = std::move(text);
    ++state_version_;
}

void EventHub::fork(const PageFork& fork) {
    const std::lock_guard lock(mutex_);
    notify(last_, event("fork", fork_json(fork)));
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
    for (Listener& listener : listeners_) {
        if (!std::exchange(listener.wants_series, false)) continue;
        listener.stream->send(text);
        listener.seen = turn;
    }
}

void EventHub::subscribe(std::shared_ptr<EventStream> stream, std::optional<Turn> after) {
    const std::lock_guard lock(mutex_);
    if (closed_) return stream->close();
    Listener listener;
    listener.stream = std::move(stream);
    listener.seen = after.value_or(last_ - std::min<Turn>(last_, figures_.size()));
    listener.notices = notice_count_;
    if (after) {
        // What it has missed: notices of later turns.
        while (listener.notices > 0) {
            const std::uint64_t back = notice_count_ - listener.notices;
            if (back >= notices_.size() || notices_[notices_.size() - 1 - back].turn <= *after) break;
            --listener.notices;
        }
    }
    listener.pictures = picture_version_;
    listener.stream->send("retry: 2000\n\n");
    tell(listener);
    listeners_.push_back(std::move(listener));
    schedule();
}

void EventHub::schedule() {
    if (std::exchange(beating_, true)) return;
    workers_.after(kBeat, [weak = weak_from_this()] {
        if (const auto hub = weak.lock()) hub->beat();
    });
}

bool EventHub::tell(Listener& listener) const {
    std::string text;
    if (std::exchange(listener.states, state_version_) != state_version_) text += event("state", state_);
    for (const Notice& notice : notices_)
        if (notice.number > listener.notices) text += notice.text;
    listener.notices = notice_count_;
    if (std::exchange(listener.pictures, picture_version_) != picture_version_)
        text += event("picture", picture_);
    const bool ahead = listener.seen > last_;  // of another life of this run
    if (ahead || last_ - listener.seen > figures_.size()) {
        listener.wants_series = true;
    } else if (listener.seen < last_ && !listener.wants_series) {
        const auto behind = static_cast<std::ptrdiff_t>(last_ - listener.seen);
        const std::vector<std::vector<Real>> figures(figures_.end() - behind, figures_.end());
        text += event("turns", turns_json(listener.seen + 1, figures), last_);
        listener.seen = last_;
    }
    if (beats_ % kCommentBeats == 0) text += ":\n\n";
    return text.empty() ? listener.stream->open() : listener.stream->send(text);
}

void EventHub::beat() {
    std::function<void()> want_series;
    std::function<void()> want_picture;
    {
        const std::lock_guard lock(mutex_);
        beating_ = false;
        ++beats_;
        std::erase_if(listeners_, [&](Listener& listener) { return !tell(listener); });
        if (listeners_.empty() || closed_) return;
        const auto lost = [](const Listener& listener) { return listener.wants_series; };
        if (!series_asked_ && std::any_of(listeners_.begin(), listeners_.end(), lost)) {
            series_asked_ = true;
            want_series = sources_.series;
        }
        if (!picture_asked_ && beats_ % kPictureBeats == 0 && pictured_ != last_) {
            picture_asked_ = true;
            pictured_ = last_;
            want_picture = sources_.picture;
        }
        schedule();
    }
    if (want_series) want_series();
    if (want_picture) want_picture();
}

std::size_t EventHub::subscribers() const {
    const std::lock_guard lock(mutex_);
    return listeners_.size();
}

void EventHub::close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (const Listener& listener : listeners_) listener.stream->close();
    listeners_.clear();
}

}  // namespace proxstream
