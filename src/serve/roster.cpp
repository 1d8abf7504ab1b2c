#include "serve/roster.hpp"

#include "proxstream/core/error.hpp"

#include <algorithm>
#include <filesystem>
#include <future>
#include <utility>

#include <fmt/format.h>

namespace proxstream {
namespace {

namespace fs = std::filesystem;

// Names have no dots: no fork's file can be taken for what the database keeps beside another's.
constexpr std::string_view kForkMark = ".fork-";
constexpr std::string_view kForkEnd = ".run";

std::string fork_path(const Desk& parent, const std::string& name) {
    return fmt::format("{}{}{}{}", parent.store(), kForkMark, name, kForkEnd);
}

/// The store and what the database and its lock keep beside it.
void remove_store(const std::string& path) {
    std::error_code ignored;
    for (const char* ending : {"", "-wal", "-shm", "-journal", "-lock"}) fs::remove(path + ending, ignored);
}

/// What a fork does otherwise.
SettingList differences(const RunIdentity& fork, const RunIdentity& parent) {
    SettingList list;
    for (const auto& setting : fork.settings) {
        const auto& theirs = parent.settings;
        if (setting.first == "store") continue;
        if (std::find(theirs.begin(), theirs.end(), setting) == theirs.end()) list.push_back(setting);
    }
    return list;
}

/// The answers of several desks, waited for.
std::vector<std::string> wait_for(std::vector<std::pair<std::string, std::future<std::string>>>& answers) {
    std::vector<std::string> problems;
    for (auto& [name, answer] : answers) {
        const std::string problem = answer.get();
        if (!problem.empty()) problems.push_back(fmt::format("learner {}: {}", name, problem));
    }
    return problems;
}

Desk::Done into(std::vector<std::pair<std::string, std::future<std::string>>>& answers,
                const std::string& name) {
    const auto promise = std::make_shared<std::promise<std::string>>();
    answers.emplace_back(name, promise->get_future());
    return [promise](const std::string& problem) { promise->set_value(problem); };
}

}  // namespace

void Roster::open(const std::vector<LearnerPlan>& plans) {
    std::vector<std::future<std::shared_ptr<Desk>>> opened;
    for (const LearnerPlan& plan : plans) {
        const auto task = std::make_shared<std::packaged_task<std::shared_ptr<Desk>()>>([this, &plan] {
            return Desk::open(plan.name, opener_(plan.kind, plan.settings), workers_, plan.desk);
        });
        opened.push_back(task->get_future());
        workers_.post([task] { (*task)(); });
    }
    for (const auto& each : opened) each.wait();  // the plans are looked at until then
    for (std::size_t i = 0; i < plans.size(); ++i) {
        std::shared_ptr<Desk> desk;
        try {
            desk = opened[i].get();
        } catch (const ConfigError& error) {
            std::vector<std::string> violations;
            for (const std::string& each : error.violations())
                violations.push_back(fmt::format("learner {}: {}", plans[i].name, each));
            throw ConfigError(violations);
        }
        add(desk);
        const std::lock_guard lock(mutex_);
        options_[plans[i].name] = plans[i].desk;
    }
    for (const LearnerPlan& plan : plans) reopen_forks(find(plan.name), plan.desk);
}

void Roster::reopen_forks(const std::shared_ptr<Desk>& parent, const DeskOptions& options) {
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
            parent->lead(fork);
        }
    }
}

std::shared_ptr<Desk> Roster::open_fork(const Desk& parent, const DeskOptions& options,
                                        const std::string& name, const std::string& path) {
    try {
        const RunIdentity identity = RunStore(path).identity();
        SettingList settings = identity.settings;
        // The folder may have moved since.
        std::erase_if(settings, [](const auto& setting) { return setting.first == "store"; });
        settings.emplace_back("store", path);
        return Desk::open(name, opener_(identity.kind, settings), workers_, options, parent.name());
    } catch (const Error& error) {
        // A fork that cannot be gone on with must not keep its parent from running.
        fmt::print(stderr, "proxstream: fork {}: {}\n", name, error.what());
        return nullptr;
    }
}

void Roster::add(const std::shared_ptr<Desk>& desk) {
    const std::lock_guard lock(mutex_);
    desks_[desk->name()] = desk;
    forking_.erase(desk->name());
}

std::shared_ptr<Desk> Roster::find(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = desks_.find(name);
    return found == desks_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Desk>> Roster::all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Desk>> desks;
    for (const auto& [name, desk] : desks_) desks.push_back(desk);
    return desks;
}

std::vector<PageFork> Roster::forks_of(const Desk& desk) const {
    std::vector<PageFork> forks;
    for (const auto& fork : all())
        if (fork->parent() == desk.name()) forks.push_back(page_fork(*fork, desk));
    return forks;
}

PageFork Roster::page_fork(const Desk& fork, const Desk& parent) {
    return {.name = fork.name(),
            .url = "/v1/learners/" + fork.name(),
            .begun = fork.identity().parent.turn,
            .settings = differences(fork.identity(), parent.identity()),
            .turn = fork.snapshot()->state.turn};
}

void Roster::fork(const std::shared_ptr<Desk>& parent, const std::string& name, const SettingList& changes,
                  const std::string& events, Forked done) {
    DeskOptions options;
    std::optional<Refusal> refusal;
    {
        const std::lock_guard lock(mutex_);
        std::size_t forks = 0;
        for (const auto& [each, desk] : desks_) forks += desk->parent() == parent->name() ? 1 : 0;
        for (const auto& [each, whose] : forking_) forks += whose == parent->name() ? 1 : 0;
        if (!parent->parent().empty()) {
            refusal = Refusal{.status = 409, .message = "a fork cannot be forked again"};
        } else if (desks_.contains(name) || forking_.contains(name)) {
            refusal = Refusal{.status = 409,
                              .message = fmt::format("there is a learner called '{}'", name),
                              .field = "name"};
        } else if (fs::exists(fork_path(*parent, name))) {
            refusal = Refusal{
                .status = 409,
                .message = fmt::format("there is a store of a fork '{}' that could not be opened", name),
                .field = "name"};
        } else if (forks >= kForks) {
            refusal =
                Refusal{.status = 409,
                        .message = fmt::format("'{}' has {} forks; remove one first", parent->name(), forks)};
        } else {
            forking_[name] = parent->name();
            options = options_[parent->name()];
        }
    }
    if (refusal) return done(*refusal);
    parent->fork(fork_path(*parent, name), changes, events,
                 [this, parent, name, options, done = std::move(done)](std::unique_ptr<ServedRun> run,
                                                                       const std::optional<Refusal>& why) {
                     // Elsewhere: its parent has other things to do.
                     const auto made = std::make_shared<std::unique_ptr<ServedRun>>(std::move(run));
                     workers_.post([this, parent, name, options, done, made, why] {
                         done(adopt(*parent, name, options, std::move(*made), why));
                     });
                 });
}

std::variant<std::shared_ptr<Desk>, Refusal> Roster::adopt(Desk& parent, const std::string& name,
                                                           const DeskOptions& options,
                                                           std::unique_ptr<ServedRun> run,
                                                           std::optional<Refusal> why) {
    std::shared_ptr<Desk> desk;
    try {
        if (!why) desk = Desk::open(name, std::move(run), workers_, options, parent.name());
    } catch (const std::exception& error) {
        why = Refusal{.status = 503, .message = error.what(), .retry_after = 1};
    }
    if (why) {
        remove_store(fork_path(parent, name));
        const std::lock_guard lock(mutex_);
        forking_.erase(name);
        return *why;
    }
    add(desk);
    parent.lead(desk);
    parent.events().fork(page_fork(*desk, parent));
    return desk;
}

void Roster::remove(const std::shared_ptr<Desk>& fork, const Desk::Done& done) {
    if (const auto parent = find(fork->parent())) parent->dismiss(fork->name());
    fork->close([this, fork, done](const std::string&) {
        remove_store(fork->store());
        {
            const std::lock_guard lock(mutex_);
            desks_.erase(fork->name());
        }
        done({});
    });
}

std::vector<std::string> Roster::reload(const std::vector<LearnerPlan>& plans) {
    std::vector<std::pair<std::string, std::future<std::string>>> answers;
    std::vector<std::string> problems;
    for (const LearnerPlan& plan : plans) {
        if (const auto desk = find(plan.name)) {
            desk->reload(plan.settings, plan.desk.durable, into(answers, plan.name));
        } else {
            problems.push_back(fmt::format("learner {}: is new; it begins with the next start", plan.name));
        }
    }
    const auto refused = wait_for(answers);
    problems.insert(problems.end(), refused.begin(), refused.end());
    return problems;
}

std::vector<std::string> Roster::close() {
    std::vector<std::string> problems;
    // Forks are last: they get what their parents have played.
    for (const bool forks : {false, true}) {
        std::vector<std::pair<std::string, std::future<std::string>>> answers;
        for (const auto& desk : all())
            if (desk->parent().empty() != forks) desk->close(into(answers, desk->name()));
        const auto refused = wait_for(answers);
        problems.insert(problems.end(), refused.begin(), refused.end());
    }
    return problems;
}

}  // namespace proxstream
