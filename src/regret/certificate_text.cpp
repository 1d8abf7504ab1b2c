/// The certificate for a terminal: one line an inequality, at most kWidth columns.
#include "proxstream/regret/certificate.hpp"

#include <iterator>

#include <fmt/format.h>

namespace proxstream {
namespace {

constexpr std::size_t kWidth = 100;
constexpr std::size_t kIndent = 6;

template <class... Values>
void append(std::string& out, fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(out), form, std::forward<Values>(values)...);
}

/// Words of `text` on lines of at most kWidth columns, indented.
void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
    std::size_t column = 0;
    while (!text.empty()) {
        const std::size_t length = std::min(text.find(' '), text.size());
        if (column > 0 && column + 1 + length > kWidth) {
            out += '\n';
            column = 0;
        }
        if (column == 0) {
            out.append(indent, ' ');
            column = indent;
        } else {
            out += ' ';
            ++column;
        }
        out += text.substr(0, length);
        column += length;
        text.remove_prefix(std::min(length + 1, text.size()));
    }
    out += '\n';
}

void append_comparison(std::string& out, std::string_view id, std::string_view statement, Real left,
                       Real right, Real ratio, std::string_view verdict) {
    append(out, "  {:<4}{:<46} {:>10.3e} {:>10.3e} {:>8.3g}  {}\n", id, statement, left, right, ratio,
           verdict);
}

/// Where both sides are empty of meaning, dashes stand instead of zeros.
void append_blank(std::string& out, std::string_view id, std::string_view statement,
                  std::string_view verdict) {
    append(out, "  {:<4}{:<46} {:>10} {:>10} {:>8}  {}\n", id, statement, "-", "-", "-", verdict);
}

std::string step_rule(const RunHeader& header) {
    if (header.step_rule == StepRule::none) return "no step rule";
    if (header.step_rule == StepRule::backtracking)
        return fmt::format("backtracking, lambda = {:g}", header.acceptance);
    return fmt::format("fixed step, L = {:.6g} {}", header.claimed_smoothness(),
                       header.smoothness ? "declared" : "claimed by eta");
}

void append_summary(std::string& out, const Certificate& certificate) {
    const RunHeader& header = certificate.header;
    const RunSummary& run = certificate.summary;
    append(out, "Certificate of {} rounds ({})\n", run.totals.rounds, name(run.ending));
    append(out, "  n = {}, w = {}, eta = {:.6g}, {}\n", header.dimension, header.window,
           header.reference_step, step_rule(header));
    append(out, "  regret Reg_w(T)  {:<14.6e} a round  {:<14.6e} E_T          {:.6e}\n", run.regret,
           run.mean_regret(), run.energy);
    append(out, "  variation Vpath  {:<14.6e} r_0      {:<14.6e} path length  {:.6e}\n", run.variation,
           header.initial_residual, run.path_length);
    append(out, "  updates N        {:<14} tests    {:<14} prox         {}\n", run.totals.steps, run.tests,
           run.totals.cost.prox);
    append(out, "  record gradients {:<14} referee  {:<14} seconds      {:.3f}\n",
           run.totals.cost.record_gradients, run.totals.referee_cost.record_gradients, run.seconds);
    append(out, "  quiet rounds     {:<14} budget   {:<14} refused      {}\n",
           fmt::format("{:.1f}%", 100 * run.quiet_share()), run.budget_exhausted, run.totals.refused);
    for (const OtherWindowRegret& other : run.other_windows) {
        append(out, "  regret, w = {:<4} {:.6e}\n", other.window, other.regret);
    }
    if (run.prediction_loss) append(out, "  prediction loss  {:.6e} a round\n", *run.prediction_loss);
}

void append_inequality(std::string& out, const Inequality& each) {
    const std::string_view verdict = each.verdict == Verdict::violated ? "VIOLATED" : name(each.verdict);
    const bool blank = each.left == 0 && each.right == 0 && each.verdict != Verdict::holds;
    if (blank) {
        append_blank(out, each.id, each.statement, verdict);
    } else {
        append_comparison(out, each.id, each.statement, each.left, each.right, each.ratio(), verdict);
    }
    std::string note = each.explanation;
    if (each.verdict == Verdict::violated) {
        note += fmt::format("{}rounding explains {:.3g} at most", note.empty() ? "" : "; ", each.slack);
    }
    if (!note.empty() && each.verdict != Verdict::holds) append_wrapped(out, note, kIndent);
}

void append_claim(std::string& out, const PaperClaim& claim) {
    const std::string_view verdict = !claim.applicable ? "not applicable"
                                     : claim.satisfied ? "satisfied"
                                                       : "FAILS";
    const std::string statement = fmt::format("{}: {}", claim.id, claim.statement);
    if (claim.applicable) {
        append(out, "  {}\n      {:.4e} against {:.4e}: {} on this run\n", statement, claim.left, claim.right,
               verdict);
    } else {
        append(out, "  {}\n      {} to this run\n", statement, verdict);
    }
    append_wrapped(out, "wrong in general: " + claim.reason, kIndent);
}

}  // namespace

std::string to_text(const Certificate& certificate) {
    std::string out;
    append_summary(out, certificate);
    append(out, "\n  {:<50} {:>10} {:>10} {:>8}  verdict\n", "proved", "left", "right", "ratio");
    for (const Inequality& each : certificate.inequalities) append_inequality(out, each);
    out += "\nThe paper's claims (not proved; shown for comparison)\n";
    for (const PaperClaim& claim : certificate.paper_claims) append_claim(out, claim);
    out += '\n';
    append_wrapped(out, conclusion(certificate), 0);
    return out;
}

std::string conclusion(const Certificate& certificate) {
    const RunSummary& run = certificate.summary;
    if (run.totals.rounds == 0) return "No round was played, so nothing was proved.";
    std::string open;
    for (const Inequality& each : certificate.inequalities) {
        if (each.verdict == Verdict::violated) {
            return fmt::format("Not certified: {} is broken beyond rounding ({}).", each.id,
                               each.explanation);
        }
        if (each.verdict != Verdict::holds) open += (open.empty() ? "" : ", ") + each.id;
    }
    const Inequality& path = certificate.at("C3a");
    if (path.verdict != Verdict::holds) return "Nothing was proved: " + path.explanation + ".";
    std::string text = fmt::format(
        "Proved on this run: the local regret over {} rounds is {:.4g}, at most {:.4g} by residuals and "
        "variation along "
        "the path",
        run.totals.rounds, run.regret, certificate.at("C3b").right);
    const Inequality& count = certificate.at("C6");
    if (count.verdict == Verdict::holds) {
        text += fmt::format(", and its {} inner updates are within what the energy E_T = {:.4g} allows",
                            run.totals.steps, run.energy);
    }
    if (!open.empty()) text += fmt::format("; nothing is claimed about {}", open);
    return text + ".";
}

}  // namespace proxstream
