#include "serve/workers.hpp"

#include <algorithm>
#include <utility>

namespace proxstream {

Workers::Workers(unsigned threads) {
    for (unsigned i = 0; i < std::max(threads, 1U); ++i) threads_.emplace_back([this] { work(); });
}

Workers::~Workers() {
    {
        const std::lock_guard lock(mutex_);
        ending_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Workers::post(Task task) {
    {
        const std::lock_guard lock(mutex_);
        ready_.push_back(std::move(task));
    }
    changed_.notify_one();
}

void Workers::after(double seconds, Task task) {
    const auto when = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                         std::chrono::duration<double>(std::max(seconds, 0.0)));
    {
        const std::lock_guard lock(mutex_);
        timed_.push({when, std::move(task)});
    }
    changed_.notify_one();  // a worker may be waiting for a later time
}

void Workers::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        while (!timed_.empty() && timed_.top().when <= Clock::now()) {
            ready_.push_back(timed_.top().task);
            timed_.pop();
        }
        if (!ready_.empty()) {
            Task task = std::move(ready_.front());
            ready_.pop_front();
            if (!ready_.empty()) changed_.notify_one();
            lock.unlock();
            task();
            task = nullptr;  // its captures are destroyed without the lock
            lock.lock();
        } else if (ending_) {
            return;
        } else if (timed_.empty()) {
            changed_.wait(lock);
        } else {
            const auto when = timed_.top().when;  // a copy: the top may change while it waits
            changed_.wait_until(lock, when);
        }
    }
}

void Strand::post(Workers::Task task) {
    {
        const std::lock_guard lock(state_->mutex);
        state_->tasks.push_back(std::move(task));
        if (std::exchange(state_->running, true)) return;
    }
    state_->workers.post([state = state_] { run(state); });
}

void Strand::run(const std::shared_ptr<State>& state) {
    Workers::Task task;
    {
        const std::lock_guard lock(state->mutex);
        task = std::move(state->tasks.front());
        state->tasks.pop_front();
    }
    task();
    task = nullptr;
    {
        const std::lock_guard lock(state->mutex);
        state->running = !state->tasks.empty();
        if (!state->running) return;
    }
    state->workers.post([state] { run(state); });
}

}  // namespace proxstream
