#include "run/compare_text.hpp"

#include "io/row_splitter.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::size_t kWidth = 80;

bool counts(const CompareEntry& entry) {
    return entry.failed == 0 && entry.rounds > 0 && std::isfinite(entry.loss);
}

/// The entry with the least loss, except `other`; nullptr: there is none.
const CompareEntry* best_of(const CompareOutcome& outcome, const CompareEntry* other = nullptr) {
    const CompareEntry* best = nullptr;
    for (const CompareEntry& entry : outcome.entries) {
        if (&entry == other || !counts(entry)) continue;
        if (best == nullptr || entry.loss < best->loss) best = &entry;
    }
    return best;
}

/// In per cent; NaN or infinite if the ratio is undefined.
Real above(Real loss, Real reference) {
    return reference > 0 ? 100 * (loss / reference - 1) : kInfinity;
}

std::string percent(Real value) {
    if (!std::isfinite(value)) return "-";
    return std::abs(value) < 1e4 ? fmt::format("{:.1f}%", value) : fmt::format("{:.1e}%", value);
}

Real per_round(std::uint64_t count, const CompareEntry& entry) {
    return static_cast<Real>(count) / static_cast<Real>(std::max<Round>(entry.rounds, 1));
}

struct Column {
    std::string head;
    std::size_t width;
    std::function<std::string(const CompareEntry&)> cell;
};

std::vector<Column> columns_of(const CompareOutcome& outcome) {
    const auto any = [&](const auto& has) {
        return std::any_of(outcome.entries.begin(), outcome.entries.end(), has);
    };
    const bool seeds = any([](const CompareEntry& entry) { return entry.seeds > 1; });
    const bool sampled = any([](const CompareEntry& entry) { return entry.base_samples > 0; });
    const CompareEntry* best = best_of(outcome);
    const Real least = best == nullptr ? 0 : best->loss;
    std::vector<Column> columns{
        {"loss ", 12,
         [=](const CompareEntry& each) {
             return fmt::format("{:.6g}{}", each.loss, each.loss == least && best != nullptr ? '*' : ' ');
         }},
        {"over best", 10, [=](const CompareEntry& each) { return percent(above(each.loss, least)); }}};
    if (seeds) {
        columns.push_back({"spread", 8, [](const CompareEntry& each) {
                               return each.seeds > 1 ? percent(above(each.greatest_loss, each.least_loss))
                                                     : std::string("-");
                           }});
    }
    if (outcome.classes)
        columns.push_back({"error %", 8, [](const CompareEntry& each) {
                               return fmt::format("{:.2f}", 100 * each.error_rate);
                           }});
    if (outcome.numbers)
        columns.push_back({"MAE", 10, [](const CompareEntry& each) {
                               return fmt::format("{:.5g}", each.mean_absolute_error);
                           }});
    columns.push_back({"gradients", 10, [](const CompareEntry& each) {
                           return fmt::format("{:.2f}", per_round(each.record_gradients, each));
                       }});
    if (sampled)
        columns.push_back({"samples", 9, [](const CompareEntry& each) {
                               return fmt::format("{:.1f}", per_round(each.base_samples, each));
                           }});
    if (!seeds && !sampled)
        columns.push_back(
            {"seconds", 9, [](const CompareEntry& each) { return fmt::format("{:.3f}", each.seconds); }});
    return columns;
}

std::string quoted(std::string_view text) {
    std::string field;
    append_csv_field(field, text);
    return field;
}

std::string field(Real value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
}

}  // namespace

std::string compare_table(const CompareOutcome& outcome) {
    const std::vector<Column> columns = columns_of(outcome);
    std::size_t room = kWidth;
    for (const Column& column : columns) room -= column.width;
    std::size_t width = std::string_view("learner").size();
    for (const CompareEntry& entry : outcome.entries) width = std::max(width, entry.learner.size());
    width = std::min(width, room);
    std::string table = fmt::format("{:<{}}", "learner", width);
    for (const Column& column : columns) table += fmt::format("{:>{}}", column.head, column.width);
    for (const CompareEntry& entry : outcome.entries) {
        // A name that is too long for its column gets a line of its own.
        const bool fits = entry.learner.size() <= width;
        table += fits ? fmt::format("\n{:<{}}", entry.learner, width)
                      : fmt::format("\n{}\n{:<{}}", entry.learner, "", width);
        if (entry.failed > 0) {
            table += fmt::format("  failed in round {}: the loss is not finite", entry.failed);
        } else if (entry.rounds == 0) {
            table += "  no round was scored";
        } else {
            for (const Column& column : columns)
                table += fmt::format("{:>{}}", column.cell(entry), column.width);
        }
    }
    return table + "\n";
}

std::string compare_verdict(const CompareOutcome& outcome, const std::string& first) {
    if (outcome.entries.size() < 2) return {};
    const CompareEntry& subject = outcome.entries.front();
    const CompareEntry* best = best_of(outcome);
    if (!counts(subject)) return first + " failed";
    if (best == &subject) {
        const CompareEntry* next = best_of(outcome, best);
        if (next == nullptr) return first + " is the only one that did not fail";
        const Real distance = above(next->loss, best->loss);
        return std::isfinite(distance) ? fmt::format("{} is the best; the next ({}) is {:.1f} % above it",
                                                     first, next->learner, distance)
                                       : fmt::format("{} is the best; the next is {}", first, next->learner);
    }
    const Real distance = above(subject.loss, best->loss);
    return std::isfinite(distance)
               ? fmt::format("{} is {:.1f} % above the best ({})", first, distance, best->learner)
               : fmt::format("{} is not the best; {} is", first, best->learner);
}

std::string compare_csv(const CompareOutcome& outcome) {
    std::string text =
        "learner,candidates,seeds,rounds,refused,failed_round,loss,least_loss,greatest_loss,window_loss,"
        "error_rate,mse,mae,regret,regret_1,nonzeros,gradients_per_round,samples_per_round,seconds\n";
    for (const CompareEntry& entry : outcome.entries) {
        const auto known = [&](Real value, bool has = true) {
            return has && entry.rounds > 0 ? field(value) : "";
        };
        text += fmt::format(
            "{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", quoted(entry.learner),
            entry.candidates, entry.seeds, entry.rounds, entry.refused,
            entry.failed > 0 ? std::to_string(entry.failed) : "", known(entry.loss), known(entry.least_loss),
            known(entry.greatest_loss), known(entry.windowed_loss), known(entry.error_rate, outcome.classes),
            known(entry.mean_squared_error, outcome.numbers),
            known(entry.mean_absolute_error, outcome.numbers), known(entry.regret), known(entry.regret_one),
            entry.nonzeros, known(per_round(entry.record_gradients, entry)),
            known(per_round(entry.base_samples, entry)), field(entry.seconds));
    }
    return text;
}

}  // namespace proxstream
