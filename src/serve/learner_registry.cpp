#include "serve/learner_registry.hpp"

#include "proxstream/core/error.hpp"

#include "core/violations.hpp"
#include "io/standard_error.hpp"
#include "store/store_file.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

// Names have no dots. So the file of a fork differs from the files that SQLite keeps beside another store.
constexpr std::string_view kForkMark = ".fork-";
constexpr std::string_view kForkEnd = ".run";

std::string fork_path(const LearnerQueue& parent, const std::string& name) {
    return fmt::format("{}{}{}{}", parent.store(), kForkMark, name, kForkEnd);
}

/// The settings of a fork that its parent does not have.
SettingList differences(const RunIdentity& fork, const RunIdentity& parent) {
    SettingList list = fork.settings;
    std::erase_if(list, [&](const auto& setting) {
        const SettingList& others = parent.settings;
        return setting.first == "store" || std::ranges::find(others, setting) != others.end();
    });
    return list;
}

/// Waits for the answers of several learners.
class Answers {
  public:
    LearnerQueue::Done of(const std::string& learner) {
        const auto promise = std::make_shared<std::promise<std::string>>();
        waiting_.emplace_back(learner, promise->get_future());
        return [promise](const std::string& problem) { promise->set_value(problem); };
    }
    void wait(std::vector<std::string>& problems) {
        for (auto& [learner, answer] : waiting_) {
            const std::string problem = answer.get();
            if (!problem.empty()) problems.push_back(fmt::format("learner {}: {}", learner, problem));
        }
    }

  private:
    std::vector<std::pair<std::string, std::future<std::string>>> waiting_;
};

}  // namespace

void LearnerRegistry::open(const std::vector<LearnerPlan>& plans) {
    using Task = std::packaged_task<std::shared_ptr<LearnerQueue>()>;
    std::vector<std::future<std::shared_ptr<LearnerQueue>>> opened;
    for (const LearnerPlan& plan : plans) {
        const auto task = std::make_shared<Task>([this, &plan] {
            return LearnerQueue::open(plan.name, opener_(plan.kind, plan.settings), workers_, plan.queue);
        });
        opened.push_back(task->get_future());
        workers_.post([task] { (*task)(); });
    }
    for (const auto& each : opened) each.wait();  // the tasks refer to the plans
    for (std::size_t i = 0; i < plans.size(); ++i) {
        Violations violations;
        violations.collect("learner " + plans[i].name, [&] { add(opened[i].get()); });
        violations.conclude();
        const std::lock_guard lock(mutex_);
        options_[plans[i].name] = plans[i].queue;
    }
    for (const LearnerPlan& plan : plans) reopen_forks(find(plan.name), plan.queue);
}

void LearnerRegistry::reopen_forks(const std::shared_ptr<LearnerQueue>& parent,
                                   const LearnerQueueOptions& options) {
    const fs::path store(parent->store());
    const std::string beginning = store.filename().string() + std::string(kForkMark);
    const fs::path folder = store.has_parent_path() ? store.parent_path() : fs::path(".");
    for (const auto& entry : fs::directory_iterator(folder)) {
        const std::string file = entry.path().filename().string();
        if (!file.starts_with(beginning) || !file.ends_with(kForkEnd)) continue;
        const std::string name =
            file.substr(beginning.size(), file.size() - beginning.size() - kForkEnd.size());
        if (!is_learner_name(name) || find(name)) continue;
        if (const auto fork = open_fork(*parent, options, name, fork_path(*parent, name))) {
            add(fork);
            parent->add_follower(fork);
        }
    }
}

std::shared_ptr<LearnerQueue> LearnerRegistry::open_fork(const LearnerQueue& parent,
                                                         const LearnerQueueOptions& options,
                                                         const std::string& name, const std::string& path) {
    try {
        if (!has_run(path)) {
            remove_store(path);  // of a service that was killed while it made the fork
            return nullptr;
        }
        const RunIdentity identity = RunStore(path).identity();
        SettingList settings = identity.settings;
        // The folder may have moved since.
        std::erase_if(settings, [](const auto& setting) { return setting.first == "store"; });
        settings.emplace_back("store", path);
        return LearnerQueue::open(name, opener_(identity.kind, settings), workers_, options, parent.name());
    } catch (const Error& error) {
        // The parent runs without it.
        eprint("proxstream: fork {}: {}\n", name, error.what());
        return nullptr;
    }
}

void LearnerRegistry::add(const std::shared_ptr<LearnerQueue>& queue) {
    const std::lock_guard lock(mutex_);
    queues_[queue->name()] = queue;
    forking_.erase(queue->name());
}

std::shared_ptr<LearnerQueue> LearnerRegistry::find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = queues_.find(name);
    return found == queues_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<LearnerQueue>> LearnerRegistry::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<LearnerQueue>> queues;
    for (const auto& [name, queue] : queues_) queues.push_back(queue);
    return queues;
}

std::vector<PageFork> LearnerRegistry::forks_of(const LearnerQueue& queue) const {
    std::vector<PageFork> forks;
    for (const auto& fork : all())
        if (fork->parent() == queue.name()) forks.push_back(page_fork(*fork, queue));
    return forks;
}

PageFork LearnerRegistry::page_fork(const LearnerQueue& fork, const LearnerQueue& parent) {
    return {.name = fork.name(),
            .url = "/v1/learners/" + fork.name(),
            .begun = fork.identity().parent.turn,
            .settings = differences(fork.identity(), parent.identity()),
            .turn = fork.snapshot()->state.turn};
}

std::optional<Refusal> LearnerRegistry::reserve(const LearnerQueue& parent, const std::string& name) {
    const auto refuse = [](std::string message, std::string field) {
        return Refusal{.status = 409, .message = std::move(message), .field = std::move(field)};
    };
    const std::lock_guard lock(mutex_);
    if (!parent.parent().empty()) return refuse("a fork cannot be forked again", "");
    if (queues_.contains(name) || forking_.contains(name))
        return refuse(fmt::format("there is a learner called '{}'", name), "name");
    if (fs::exists(fork_path(parent, name)))
        return refuse(fmt::format("there is a store of a fork '{}' that could not be opened", name), "name");
    std::size_t forks = 0;
    for (const auto& [each, queue] : queues_) forks += queue->parent() == parent.name() ? 1 : 0;
    for (const auto& [each, its_parent] : forking_) forks += its_parent == parent.name() ? 1 : 0;
    if (forks >= kForks)
        return refuse(fmt::format("'{}' has {} forks; remove one first", parent.name(), forks), "");
    forking_[name] = parent.name();
    return std::nullopt;
}

void LearnerRegistry::fork(const std::shared_ptr<LearnerQueue>& parent, const std::string& name,
                           const SettingList& changes, const std::string& events, Forked done) {
    if (const auto refusal = reserve(*parent, name)) return done(*refusal);
    parent->fork(fork_path(*parent, name), changes, events,
                 [this, parent, name, done = std::move(done)](std::unique_ptr<ServedRun> run,
                                                              const std::optional<Refusal>& refusal) {
                     // On another worker: the parent has other requests.
                     const auto made = std::make_shared<std::unique_ptr<ServedRun>>(std::move(run));
                     workers_.post([this, parent, name, done, made, refusal] {
                         done(adopt(*parent, name, std::move(*made), refusal));
                     });
                 });
}

std::variant<std::shared_ptr<LearnerQueue>, Refusal> LearnerRegistry::adopt(LearnerQueue& parent,
                                                                            const std::string& name,
                                                                            std::unique_ptr<ServedRun> run,
                                                                            std::optional<Refusal> refusal) {
    std::shared_ptr<LearnerQueue> queue;
    try {
        if (!refusal)
            queue = LearnerQueue::open(name, std::move(run), workers_, options_of(parent), parent.name());
    } catch (const std::exception& error) {
        refusal = Refusal{.status = 503, .message = error.what(), .retry_after = 1};
    }
    if (refusal) {
        remove_store(fork_path(parent, name));
        const std::lock_guard lock(mutex_);
        forking_.erase(name);
        return *refusal;
    }
    add(queue);
    parent.add_follower(queue);
    parent.events().fork(page_fork(*queue, parent));
    return queue;
}

LearnerQueueOptions LearnerRegistry::options_of(const LearnerQueue& learner) const {
    const std::lock_guard lock(mutex_);
    return options_.at(learner.name());
}

void LearnerRegistry::remove(const std::shared_ptr<LearnerQueue>& fork, const LearnerQueue::Done& done) {
    if (const auto parent = find(fork->parent())) parent->remove_follower(fork->name());
    fork->close([this, fork, done](const std::string&) {
        remove_store(fork->store());
        {
            const std::lock_guard lock(mutex_);
            queues_.erase(fork->name());
        }
        done({});
    });
}

std::vector<std::string> LearnerRegistry::reload(const std::vector<LearnerPlan>& plans) {
    Answers answers;
    std::vector<std::string> problems;
    for (const LearnerPlan& plan : plans) {
        if (const auto queue = find(plan.name)) {
            queue->reload(plan.settings, plan.queue.durable, answers.of(plan.name));
        } else {
            problems.push_back(fmt::format("learner {}: is new; restart the service to add it", plan.name));
        }
    }
    answers.wait(problems);
    return problems;
}

std::vector<std::string> LearnerRegistry::close() {
    std::vector<std::string> problems;
    // Forks are last: they get what their parents have played.
    for (const bool forks : {false, true}) {
        Answers answers;
        for (const auto& queue : all())
            if (queue->parent().empty() != forks) queue->close(answers.of(queue->name()));
        answers.wait(problems);
    }
    return problems;
}

}  // namespace proxstream
