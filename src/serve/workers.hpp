/// Threads that all learners of a service share.
///
/// A learner uses one thread at a time, and none while it has nothing to do. With a thread for each learner,
/// a hundred learners would be a hundred threads that mostly wait. A burst would make them compete for a few
/// cores.
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
    /// Finishes the tasks that are ready, and drops those that wait for their time.
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

/// Runs tasks one after the other, in the order of post(), each on any worker.
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
