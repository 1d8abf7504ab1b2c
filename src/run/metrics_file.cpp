#include "run/metrics_file.hpp"

#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream {

MetricsFile::MetricsFile(OutputFile file, std::uint64_t every, const Metrics& metrics, std::uint64_t rows)
    : file_(std::move(file)), every_(every), rows_(rows) {
    if (file_.end().bytes > 0) return;
    std::string head = "row";
    for (const char* prefix : {",", ",recent_"}) {
        for (const Metric& each : metrics.all()) head += fmt::format("{}{}", prefix, each.name);
    }
    write(head + '\n');
}

void MetricsFile::on_rows(const Metrics& metrics) {
    // A record may have several rows.
    if (metrics.rows() / every_ > rows_ / every_) line(metrics);
}

void MetricsFile::finish(const Metrics& metrics) {
    if (metrics.rows() > rows_) line(metrics);
    file_.close();
}

void MetricsFile::line(const Metrics& metrics) {
    std::string text = std::to_string(metrics.rows());
    for (const auto& figures : {metrics.all(), metrics.recent()}) {
        for (const Metric& each : figures)
            text += std::isfinite(each.value) ? fmt::format(",{}", each.value) : std::string(",");
    }
    write(text + '\n');
    rows_ = metrics.rows();
}

void MetricsFile::write(const std::string& text) {
    file_.write(text);
    file_.flush();
}

}  // namespace proxstream
