/// The certificate for a terminal: one line an inequality, at most kWidth columns.
#include "proxstream/regret/certificate.hpp"

#include <algorithm>
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

/// Cut where a list of weights would fill the screen.
std::string shortened(const std::string& text, std::size_t most) {
    return text.size() <= most ? text : text.substr(0, most - 2) + "..";
}

const std::string& member_name(const RunHeader& header) {
    return header.name.empty() ? header.window_text : header.name;
}

std::string describe(const RunHeader& header) {
    std::string text = fmt::format("n = {}, ", header.dimension);
    if (!header.members.empty()) {
        text += fmt::format("a bank of {} members, played by {}", header.members.size(), header.play);
        return text + fmt::format(", eta = {:.6g}", header.reference_step);
    }
    text += header.box() ? fmt::format("w = {}", header.window)
                         : fmt::format("window {} (w_a = {:.6g})", shortened(header.window_text, kWidth / 2),
                                       header.effective_length);
    if (header.model != "previous") text += fmt::format(", model {}", header.model);
    if (header.hysteresis < 1) text += fmt::format(", theta = {:g}", header.hysteresis);
    if (header.switching > 0) text += fmt::format(", kappa = {:.6g}", header.switching);
    return text + fmt::format(", eta = {:.6g}, {}", header.reference_step, step_rule(header));
}

void append_summary(std::string& out, const Certificate& certificate) {
    const RunSummary& run = certificate.summary;
    append(out, "Certificate of {} rounds ({})\n", run.totals.rounds, name(run.ending));
    append_wrapped(out, describe(certificate.header), 2);
    append(out, "  regret Reg_w(T)  {:<14.6e} a round  {:<14.6e} E_T          {:.6e}\n", run.regret,
           run.mean_regret(), run.energy);
    append(out, "  variation Vpath  {:<14.6e} r_0      {:<14.6e} path length  {:.6e}\n", run.variation,
           certificate.header.initial_residual, run.path_length);
    append(out, "  mean loss f      {:<14.6e} f + g    {:<14.6e} in 1-norm    {:.6e}\n", run.mean_loss,
           run.mean_objective, run.movement_one);
    append(out, "  updates N        {:<14} tests    {:<14} prox         {}\n", run.totals.steps, run.tests,
           run.totals.cost.prox);
    if (run.cheap_steps > 0) {
        append(out, "  cheap updates    {:<14} confirms {:<14} failed       {}\n", run.cheap_steps,
               run.confirmations, run.failed_confirmations);
    }
    append(out, "  record gradients {:<14} referee  {:<14} seconds      {:.3f}\n",
           run.totals.cost.record_gradients, run.totals.referee_cost.record_gradients, run.seconds);
    append(out, "  quiet rounds     {:<14} budget   {:<14} refused      {}\n",
           fmt::format("{:.1f}%", 100 * run.quiet_share()), run.budget_exhausted, run.totals.refused);
    append(out, "  active rounds    {:<14} changed  {} coordinates, all rounds together\n", run.active,
           run.changed);
    for (const OtherWindowRegret& other : run.other_windows) {
        append(out, "  regret, w = {:<4} {:.6e}\n", other.window, other.regret);
    }
    if (run.prediction_loss) append(out, "  prediction loss  {:.6e} a round\n", *run.prediction_loss);
}

/// One line a member: what it did, whether it played or not.
void append_bank(std::string& out, const Certificate& certificate) {
    constexpr std::size_t kName = 18;
    const BankSummary& bank = *certificate.summary.bank;
    const Real rounds = static_cast<Real>(std::max<Round>(certificate.summary.totals.rounds, 1));
    const auto share = [rounds](Round count) { return 100 * static_cast<Real>(count) / rounds; };
    append(out, "\n  {:<18} {:>9} {:>11} {:>11} {:>12} {:>10} {:>10}  own lines\n", "member", "in charge",
           "mean f", "mean f + g", "gradients", "updates", "own Reg");
    for (Index k = 0; k < certificate.members.size(); ++k) {
        const Certificate& member = certificate.members[k];
        const RunSummary& run = member.summary;
        append(out, "  {:<18} {:>8.1f}% {:>11.5g} {:>11.5g} {:>12} {:>10} {:>10.3e}  {}\n",
               shortened(member_name(member.header), kName), share(bank.in_charge[k]), run.mean_loss,
               run.mean_objective, run.totals.cost.record_gradients, run.totals.steps, run.regret,
               member.sound() ? "hold" : "VIOLATED");
    }
    append_wrapped(
        out,
        fmt::format(
            "The member in charge changed {} times ({:.1f}% of rounds). Weighted mean of f + g: {:.6g} a "
            "round; played: {:.6g}; best member in hindsight: {} with {:.6g}.",
            bank.switches, share(bank.switches), bank.weighted_loss, certificate.summary.mean_objective,
            shortened(member_name(certificate.members[bank.best].header), kName),
            certificate.members[bank.best].summary.mean_objective),
        2);
    if (bank.mixed > 0) {
        append_wrapped(
            out,
            fmt::format("A mean of the members was played in {} rounds: C2 and C3 bound the member "
                        "in charge, not that mean.",
                        bank.mixed),
            2);
    }
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
    append(out, "  {}: {}\n", claim.id, claim.statement);
    if (!claim.applicable) {
        append(out, "      not applicable to this run\n");
        return;
    }
    append(out, "      {:.4e} against {:.4e}: {} on this run\n", claim.left, claim.right,
           claim.satisfied ? "satisfied" : "FAILS");
    append_wrapped(out, "wrong in general: " + claim.reason, kIndent);
}

/// Is this inequality about something the run did? What it did not do needs no line.
bool concerns(const Certificate& certificate, const Inequality& each) {
    if (each.verdict != Verdict::not_applicable) return true;
    if (each.id == "C7c") return certificate.header.switching > 0;
    return each.id != "C9" || certificate.summary.cheap_steps > 0;
}

const Inequality* first_violation(const Certificate& certificate) {
    const auto& all = certificate.inequalities;
    const auto found = std::find_if(all.begin(), all.end(),
                                    [](const Inequality& each) { return each.verdict == Verdict::violated; });
    return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::string to_text(const Certificate& certificate) {
    std::string out;
    append_summary(out, certificate);
    append(out, "\n  {:<50} {:>10} {:>10} {:>8}  verdict\n", "proved", "left", "right", "ratio");
    for (const Inequality& each : certificate.inequalities) {
        if (concerns(certificate, each)) append_inequality(out, each);
    }
    if (certificate.summary.bank) append_bank(out, certificate);
    if (!certificate.paper_claims.empty()) out += "\nThe paper's claims (not proved; shown for comparison)\n";
    for (const PaperClaim& claim : certificate.paper_claims) append_claim(out, claim);
    out += '\n';
    append_wrapped(out, conclusion(certificate), 0);
    return out;
}

std::string conclusion(const Certificate& certificate) {
    const RunSummary& run = certificate.summary;
    if (run.totals.rounds == 0) return "No round was played, so nothing was proved.";
    if (const Inequality* broken = first_violation(certificate)) {
        return fmt::format("Not certified: {} is broken beyond rounding ({}).", broken->id,
                           broken->explanation);
    }
    for (const Certificate& member : certificate.members) {
        if (const Inequality* broken = first_violation(member)) {
            return fmt::format("Not certified: {} of member {} is broken beyond rounding ({}).", broken->id,
                               member_name(member.header), broken->explanation);
        }
    }
    std::string open;
    for (const Inequality& each : certificate.inequalities) {
        if (each.verdict != Verdict::holds && concerns(certificate, each))
            open += (open.empty() ? "" : ", ") + each.id;
    }
    const Inequality& path = certificate.at("C3a");
    if (path.verdict != Verdict::holds) return "Nothing was proved: " + path.explanation + ".";
    std::string text = fmt::format(
        "Proved on this run: the local regret over {} rounds is {:.4g}, at most {:.4g} by residuals and "
        "variation along "
        "the path",
        run.totals.rounds, run.regret, certificate.at("C3b").right);
    if (run.bank) {
        text += " of the members in charge";
        if (const Inequality& tracking = certificate.at("C8"); tracking.verdict == Verdict::holds) {
            text += fmt::format(
                ", and the weights' mean of f + g, {:.4g} a round, is within its bound against the best "
                "sequence of members",
                run.bank->weighted_loss);
        }
    } else if (certificate.at("C6").verdict == Verdict::holds) {
        text += fmt::format(", and its {} inner updates are within what the energy E_T = {:.4g} allows",
                            run.totals.steps, run.energy);
    }
    if (!open.empty()) text += fmt::format("; nothing is claimed about {}", open);
    return text + ".";
}

}  // namespace proxstream
