/// The learners of a service by name, and the forks that were made of them.
#pragma once

#include "serve/learner_queue.hpp"
#include "serve/serve_settings.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <variant>
#include <vector>

namespace proxstream {

class LearnerRegistry {
  public:
    static constexpr std::size_t kForks = 8;  // of a learner
    /// Opens a run: open_served_run(), except in tests.
    using Opener =
        std::function<std::unique_ptr<ServedRun>(const std::string& kind, const SettingList& settings)>;

    LearnerRegistry(Workers& workers, Opener opener) : workers_(workers), opener_(std::move(opener)) {}

    /// Opens all learners in parallel, and the forks found beside their stores. Throws the error of the first
    /// learner that cannot be opened.
    void open(const std::vector<LearnerPlan>& plans);

    std::shared_ptr<LearnerQueue> find(const std::string& name) const;
    std::vector<std::shared_ptr<LearnerQueue>> all() const;  // ordered by name
    std::vector<PageFork> forks_of(const LearnerQueue& queue) const;
    static PageFork page_fork(const LearnerQueue& fork, const LearnerQueue& parent);

    /// Makes a fork of `parent` that follows it. Calls `done` with the fork, or with the reason why not.
    using Forked = std::function<void(std::variant<std::shared_ptr<LearnerQueue>, Refusal>)>;
    void fork(const std::shared_ptr<LearnerQueue>& parent, const std::string& name,
              const SettingList& changes, const std::string& events, Forked done);
    /// Ends a fork and removes its store.
    void remove(const std::shared_ptr<LearnerQueue>& fork, const LearnerQueue::Done& done);

    /// Applies the settings that may change while learners run. Returns a line for each problem.
    std::vector<std::string> reload(const std::vector<LearnerPlan>& plans);
    /// Plays the posts that wait, saves and closes all learners. Returns a line for each problem.
    std::vector<std::string> close();

  private:
    std::shared_ptr<LearnerQueue> open_fork(const LearnerQueue& parent, const LearnerQueueOptions& options,
                                            const std::string& name, const std::string& path);
    void reopen_forks(const std::shared_ptr<LearnerQueue>& parent, const LearnerQueueOptions& options);
    void add(const std::shared_ptr<LearnerQueue>& queue);
    /// Takes the name for a fork, or says why not.
    std::optional<Refusal> reserve(const LearnerQueue& parent, const std::string& name);
    std::variant<std::shared_ptr<LearnerQueue>, Refusal> adopt(LearnerQueue& parent, const std::string& name,
                                                               std::unique_ptr<ServedRun> run,
                                                               std::optional<Refusal> refusal);
    LearnerQueueOptions options_of(const LearnerQueue& learner) const;

    Workers& workers_;
    Opener opener_;
    mutable std::mutex mutex_;
    std::map<std::string, std::shared_ptr<LearnerQueue>> queues_;
    std::map<std::string, LearnerQueueOptions> options_;
    std::map<std::string, std::string> forking_;  // forks that are being made, and their parents
};

}  // namespace proxstream
