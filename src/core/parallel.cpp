#include "proxstream/core/parallel.hpp"

#include <algorithm>
#include <optional>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace proxstream {
namespace {

/// More threads than the machine has are allowed, for tests.
struct Crew {
    explicit Crew(Index count)
        : limit(tbb::global_control::max_allowed_parallelism, count), arena(static_cast<int>(count)) {}

    tbb::global_control limit;
    tbb::task_arena arena;
};

std::optional<Crew>& crew() {
    static std::optional<Crew> instance;  // none: one thread
    return instance;
}

}  // namespace

void set_threads(Index count) {
    if (count == 0) count = static_cast<Index>(std::max(1, tbb::this_task_arena::max_concurrency()));
    count = std::min(count, kMostThreads);
    if (count == threads()) return;
    crew().reset();
    if (count > 1) crew().emplace(count);
}

Index threads() noexcept {
    return crew() ? static_cast<Index>(crew()->arena.max_concurrency()) : 1;
}

void detail::parallel_for(Index count, const void* body, void (*call)(const void* body, Index i)) {
    if (!crew() || count < 2) {
        for (Index i = 0; i < count; ++i) call(body, i);
        return;
    }
    crew()->arena.execute([&] {
        tbb::parallel_for(
            Index{0}, count, [&](Index i) { call(body, i); }, tbb::simple_partitioner{});
    });
}

}  // namespace proxstream
