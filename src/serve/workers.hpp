/// Threads that all desks of a service share.
///
/// A thread a learner would be simpler, but a hundred learners would then be a hundred threads that wait most
/// of the time, and a burst on all of them a hundred that fight for a few cores. Here a learner is on one
/// thread at a time, on none while it has nothing to do, and waiting for the disk costs one thread of the
/// few.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace proxstream {

class Workers {
  public:
    using Task = std::function<void()>;

    explicit Workers(unsigned threads);
    /// What is ready is still done; what waits for its time is dropped.
    ~Workers();
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    /// Tasks must not throw.
    void post(Task task);
    void after(double seconds, Task task);

  private:
    using Clock = std::chrono::steady_clock;
    struct Timed {
        Clock::time_point when;
        Task task;
        bool operator<(const Timed& other) const { return when > other.when; }  // the earliest on top
    };
    void work();

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Task> ready_;
    std::priority_queue<Timed> timed_;
    bool ending_ = false;
    std::vector<std::thread> threads_;
};

/// Tasks one after the other, in the order they came, each on any of the workers.
class Strand {
  public:
    explicit Strand(Workers& workers) : state_(std::make_shared<State>(workers)) {}
    void post(Workers::Task task);

  private:
    struct State {
        explicit State(Workers& its_workers) : workers(its_workers) {}
        Workers& workers;
        std::mutex mutex;
        std::deque<Workers::Task> tasks;
        bool running = false;
    };
    static void run(const std::shared_ptr<State>& state);
    std::shared_ptr<State> state_;
};

}  // namespace proxstream
