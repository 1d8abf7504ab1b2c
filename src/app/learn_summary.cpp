#include "app/learn_summary.hpp"

#include "app/terminal.hpp"
#include "core/text_lines.hpp"
#include "io/standard_error.hpp"
#include "regret/certificate_text.hpp"
#include "run/loss_warning.hpp"
#include "run/table_columns.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace proxstream::app {
namespace {

void summary_line(std::string_view name, const std::string& text) {
    eprint("  {:<14} {}\n", name, text);
}

std::string digits_of(Real value) {
    return std::isfinite(value) ? fmt::format("{:.6g}", value) : "-";
}

std::string_view metric_title(std::string_view metric) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 8> kTitles{
        {{"mae", "MAE"},
         {"rmse", "RMSE"},
         {"r2", "R2"},
         {"auc", "AUC"},
         {"f1", "F1"},
         {"log_loss", "log loss"},
         {"macro_f1", "macro F1"}}};
    for (const auto& [name, shown] : kTitles) {
        if (name == metric) return shown;
    }
    return metric;
}

/// Rows, speed, and what ended the run.
void print_rows(const LearnRun& run, const LearnOutcome& outcome) {
    const LearnProgress& totals = outcome.totals;
    const auto rows_now = static_cast<double>(totals.rows - run.resumed().rows);
    eprint("\n{} rows in {} rounds, {:.3g} s ({:.0f} rows/s)", totals.rows, totals.rounds, outcome.seconds,
           rows_now / std::max(outcome.seconds, 1e-9));
    if (run.resumed().rounds > 0) eprint(", {} rounds of them before", run.resumed().rounds);
    if (outcome.reader_gone) {
        eprint(", {}", tinted(Tint::warning, "stopped: the reader of the output has closed it"));
    } else if (outcome.ending == RunEnding::interrupted) {
        eprint(", {}", tinted(Tint::warning, "interrupted"));
    }
    eprint("\n");
}

void print_loss(const LearnOutcome& outcome) {
    const LearnProgress& totals = outcome.totals;
    const Real loss = totals.loss_sum / static_cast<Real>(std::max<Round>(totals.rounds, 1));
    const auto previous = outcome.previous.loss();
    const auto& constant = outcome.best_constant;
    Real yardstick = kInfinity;
    std::string others;
    if (constant) {
        yardstick = constant->loss;
        others = fmt::format("best constant {}{:.6g}", constant->sampled ? "about " : "", constant->loss);
    }
    if (previous) {
        yardstick = std::min(yardstick, *previous);
        others += fmt::format("{}previous label {:.6g}", others.empty() ? "" : ", ", *previous);
    }
    const std::string own = digits_of(loss);
    summary_line(
        "average loss",
        others.empty()
            ? own
            : fmt::format("{}   ({})", tinted(loss <= yardstick ? Tint::good : Tint::warning, own), others));
}

std::string metric_list(const std::vector<Metric>& metrics, Real area_within) {
    std::string text;
    for (const Metric& each : metrics) {
        if (each.name == "loss") continue;
        text +=
            fmt::format("{}{} {}", text.empty() ? "" : "   ", metric_title(each.name), digits_of(each.value));
        if (each.name == "auc" && area_within > 0) text += fmt::format(" (within {:.1g})", area_within);
    }
    return text;
}

void print_active(const Certificate& certificate) {
    const auto& ensemble = certificate.summary.ensemble;
    if (!ensemble || ensemble->active_member.empty()) return;
    const auto most = std::max_element(ensemble->active_member.begin(), ensemble->active_member.end());
    const auto place = static_cast<Index>(most - ensemble->active_member.begin());
    const auto rounds = static_cast<Real>(std::max<Round>(certificate.summary.totals.rounds, 1));
    // The name of a window is its length.
    const auto name = [&](Index member) {
        const std::string& text = member_name(certificate.header.members[member]);
        const bool length = text.find_first_not_of("0123456789") == text.npos;
        return shortened(length ? "window " + text : text, 24);
    };
    summary_line("most active", fmt::format("{}, in {:.0f} % of the rounds; lowest loss: {}", name(place),
                                            100 * static_cast<Real>(*most) / rounds, name(ensemble->best)));
}

/// All statements, those about the windows of an ensemble too, in one line.
void print_certificate(const LearnSettings& settings, const Certificate& certificate) {
    CertificateLines all = static_cast<const CertificateLines&>(certificate);
    for (const Certificate& member : certificate.members)
        all.inequalities.insert(all.inequalities.end(), member.inequalities.begin(),
                                member.inequalities.end());
    std::string held = statements_held(all);
    const bool sound = certificate.sound();
    // What is not promised is not violated: the certificate has the details.
    if (sound) held = held.substr(0, held.find(','));
    const std::string& file = settings.certificate_json;
    std::string text = tinted(sound ? Tint::good : Tint::bad, held);
    if (file.empty()) text += "; --certificate - prints them";
    if (!file.empty() && file != "-") text += "; written to " + file;
    summary_line("certificate", text);
}

/// The standardised columns in which all rows had one value.
std::string constant_columns(const RecordStream& stream) {
    if (!stream.scale()) return {};
    const Standardiser::State& seen = stream.scale()->statistics().state();
    std::vector<std::string> names;
    for (Index i = 0, quantity = 0; i < stream.reader().feature_names().size(); ++i) {
        if (!stream.reader().is_quantity(i)) continue;
        if (seen.count > 1 && seen.m2[quantity] == 0) names.push_back(stream.reader().feature_names()[i]);
        ++quantity;
    }
    return list_columns(names);
}

void print_troubles(const LearnSettings& settings, const LearnRun& run, const LearnOutcome& outcome) {
    for (const std::string& warning : warnings(settings, run, outcome))
        eprint("{} {}\n", tinted(Tint::warning, "warning:"), wrapped(warning, 9));
    const RecordStream& stream = run.problem().stream();
    if (stream.bad_rows() > 0)
        eprint("bad rows skipped: {}; the last one: {}\n", stream.bad_rows(), stream.last_bad_row());
    for (const std::string& remark : stream.reader().remarks()) eprint("{}\n", remark);
    if (const std::string names = constant_columns(stream); !names.empty())
        eprint("constant in all rows, and so without effect: {}\n", names);
    if (outcome.totals.unlabelled > 0)
        eprint("rows without a label, predicted only: {}\n", outcome.totals.unlabelled);
    const DelayedRows& delayed = stream.delayed();
    if (delayed.completed() > 0 || delayed.waiting() > 0)
        eprint("labels that came later: {}; still waited for: {}\n", delayed.completed(), delayed.waiting());
    if (outcome.totals.refused > 0)
        eprint("rounds refused because the loss was not finite: {}\n", outcome.totals.refused);
}

}  // namespace

void print_metrics(const Metrics& metrics, Index newest) {
    const std::string all = metric_list(metrics.all(), metrics.area_within());
    if (all.empty() || metrics.rows() == 0) return;
    summary_line("metrics", all);
    if (metrics.rows() > newest)
        summary_line(fmt::format("  newest {}", newest), metric_list(metrics.recent(), 0));
}

void print_summary(const LearnSettings& settings, const LearnRun& run, const LearnOutcome& outcome) {
    print_rows(run, outcome);
    print_loss(outcome);
    print_metrics(outcome.metrics, settings.metrics_window);
    const ConstView point = outcome.totals.point;
    print_active(outcome.certificate);
    summary_line(
        "non-zeros",
        fmt::format("{} of {}", std::count_if(point.begin(), point.end(), [](Real x) { return x != 0; }),
                    point.size()));
    print_certificate(settings, outcome.certificate);
    if (!settings.save.empty() && !outcome.keeps_model && (!outcome.io_error || outcome.reader_gone))
        summary_line("model", settings.save);
    print_troubles(settings, run, outcome);
}

}  // namespace proxstream::app
