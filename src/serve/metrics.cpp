#include "serve/metrics.hpp"

#include <filesystem>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

struct LearnerMetrics {
    std::string label;  // {learner="..",kind=".."} without its braces
    LearnerQueueStats stats;
    PageState state;
    std::size_t waiting = 0;
    std::uintmax_t bytes = 0;
    std::size_t streams = 0;
};

std::uintmax_t bytes_of(const std::string& store) {
    std::uintmax_t bytes = 0;
    for (const char* suffix : {"", "-wal"}) {
        std::error_code none;
        const auto size = std::filesystem::file_size(store + suffix, none);
        if (!none) bytes += size;
    }
    return bytes;
}

class MetricsText {
  public:
    void head(std::string_view name, std::string_view type, std::string_view help) {
        text += fmt::format("# HELP proxstream_{0} {2}\n# TYPE proxstream_{0} {1}\n", name, type, help);
    }
    template <class Value>
    void single(std::string_view name, std::string_view type, std::string_view help, Value value) {
        head(name, type, help);
        text += fmt::format("proxstream_{} {}\n", name, value);
    }
    template <class Get>
    void each(const std::vector<LearnerMetrics>& learners, std::string_view name, std::string_view type,
              std::string_view help, const Get& get) {
        head(name, type, help);
        for (const LearnerMetrics& learner : learners)
            text += fmt::format("proxstream_{}{{{}}} {}\n", name, learner.label, get(learner));
    }
    void histogram(const std::vector<LearnerMetrics>& learners, std::string_view name, std::string_view help,
                   TimeHistogram LearnerQueueStats::*member) {
        head(name, "histogram", help);
        for (const LearnerMetrics& learner : learners) {
            const TimeHistogram& times = learner.stats.*member;
            std::uint64_t below = 0;
            for (std::size_t i = 0; i < times.counts.size(); ++i) {
                below += times.counts[i];
                const std::string bound =
                    i < TimeHistogram::kBounds.size() ? fmt::format("{}", TimeHistogram::kBounds[i]) : "+Inf";
                text += fmt::format("proxstream_{}_bucket{{{},le=\"{}\"}} {}\n", name, learner.label, bound,
                                    below);
            }
            text += fmt::format("proxstream_{}_sum{{{}}} {}\n", name, learner.label, times.sum);
            text += fmt::format("proxstream_{}_count{{{}}} {}\n", name, learner.label, below);
        }
    }

    std::string text;
};

}  // namespace

std::string metrics_text(const LearnerRegistry& registry, const HttpCounts& counts,
                         const std::string& version) {
    std::vector<LearnerMetrics> learners;
    for (const auto& queue : registry.all()) {
        learners.push_back({fmt::format("learner=\"{}\",kind=\"{}\"", queue->name(), queue->identity().kind),
                            queue->stats(), queue->snapshot()->state, queue->waiting(),
                            bytes_of(queue->store()), queue->events().subscribers()});
    }
    MetricsText out;
    out.head("info", "gauge", "The program.");
    out.text += fmt::format("proxstream_info{{version=\"{}\"}} 1\n", version);
    using L = const LearnerMetrics&;
    out.each(learners, "up", "gauge", "1 unless the learner has failed.",
             [](L each) { return each.state.status == "failed" ? 0 : 1; });
    out.each(learners, "paused", "gauge", "1 while the learner takes no records.",
             [](L each) { return each.state.status == "paused" ? 1 : 0; });
    out.each(learners, "turn", "gauge", "The last turn played.", [](L each) { return each.state.turn; });
    out.each(learners, "saved_turn", "gauge", "The turn of the last saved state.",
             [](L each) { return each.state.saved; });
    out.each(learners, "rounds_total", "counter", "Turns played since the start.",
             [](L each) { return each.stats.rounds; });
    out.each(learners, "refused_total", "counter", "Turns refused because the loss was not finite.",
             [](L each) { return each.stats.refused; });
    out.each(learners, "replayed_posts_total", "counter", "Posts that were answered again.",
             [](L each) { return each.stats.replayed; });
    out.each(learners, "rejected_posts_total", "counter", "Posts that were not played.",
             [](L each) { return each.stats.rejected; });
    out.each(learners, "steps_total", "counter", "Inner steps.", [](L each) { return each.stats.steps; });
    out.each(learners, "record_gradients_total", "counter", "Record gradients.",
             [](L each) { return each.stats.gradients; });
    out.each(learners, "learner_seconds_total", "counter", "Seconds the learner worked.",
             [](L each) { return each.stats.seconds; });
    out.each(learners, "regret", "gauge", "Sum of squared stationarity gaps so far.",
             [](L each) { return each.stats.regret; });
    out.each(learners, "regret_bound", "gauge", "Proved upper bound of that sum.",
             [](L each) { return each.stats.regret_bound; });
    out.each(learners, "queue_records", "gauge", "Records that wait.", [](L each) { return each.waiting; });
    out.each(learners, "store_bytes", "gauge", "Size of the store.", [](L each) { return each.bytes; });
    out.each(learners, "event_streams", "gauge", "Open live pages.", [](L each) { return each.streams; });
    out.each(learners, "failed_commits_total", "counter", "Commits that failed.",
             [](L each) { return each.stats.failed_commits; });
    out.histogram(learners, "post_seconds", "From the queue to the answer of a post.",
                  &LearnerQueueStats::post);
    out.histogram(learners, "commit_seconds", "A commit to the store.", &LearnerQueueStats::commit);
    out.single("http_connections", "gauge", "Open connections.", counts.connections);
    out.single("http_streams", "gauge", "Open streams of events.", counts.streams);
    out.single("http_waiting_bytes", "gauge", "Bodies and answers in memory.", counts.waiting);
    out.single("http_requests_total", "counter", "Requests handled.", counts.requests);
    out.single("http_refused_total", "counter", "Requests and connections refused by a limit.",
               counts.refused);
    out.single("http_cut_total", "counter", "Connections closed because the client was too slow.",
               counts.cut);
    return std::move(out.text);
}

}  // namespace proxstream
