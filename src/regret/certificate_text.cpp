#include "regret/certificate_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace proxstream {
namespace {

constexpr std::size_t kIndent = 6;

/// A side, or a dash where it was not measured.
std::string side(Real value, bool known) {
    return known ? fmt::format("{:.3e}", value) : std::string("-");
}

std::string step_rule(const RunHeader& header) {
    if (header.step_rule == StepRule::none) return "no step rule";
    if (header.step_rule == StepRule::backtracking)
        return fmt::format("backtracking, lambda = {:g}", header.acceptance);
    return fmt::format("fixed step, L = {:.6g} {}", header.claimed_smoothness(),
                       header.smoothness ? "declared" : "claimed by eta");
}

std::string describe(const RunHeader& header) {
    std::string text = fmt::format("n = {}, ", header.dimension);
    if (!header.members.empty()) {
        text +=
            fmt::format("an ensemble of {} members, selection {}", header.members.size(), header.selection);
        return text + fmt::format(", eta = {:.6g}", header.reference_step);
    }
    text += header.box() ? fmt::format("w = {}", header.window)
                         : fmt::format("window {} (w_a = {:.6g})", shortened(header.window_text, kWidth / 2),
                                       header.effective_length);
    if (header.model != "previous") text += fmt::format(", model {}", header.model);
    if (header.hysteresis < 1) text += fmt::format(", theta = {:g}", header.hysteresis);
    if (header.switching > 0) text += fmt::format(", kappa = {:.6g}", header.switching);
    if (header.proximal > 0) text += fmt::format(", mu = {:.6g}", header.proximal);
    return text + fmt::format(", eta = {:.6g}, {}", header.reference_step, step_rule(header));
}

std::string describe(const NoiseFacts& noise) {
    std::string text = fmt::format("gradients sampled by {}, variant {}, confirm {}", noise.oracle,
                                   noise.variant, noise.confirm);
    if (noise.estimator != "sample") text += fmt::format(", inner {}", noise.estimator);
    if (!noise.sigma) return text + "; no sigma claimed";
    text += fmt::format("; sigma = {:.6g}, {}, {} across records", *noise.sigma,
                        noise.bounded ? "a sure bound" : "in the mean square",
                        noise.independent ? "independent" : "shared");
    return noise.origin.empty() ? text : text + fmt::format(" ({})", noise.origin);
}

/// Whether gradients were sampled, of an ensemble by one of its members.
bool sampled(const Certificate& certificate) {
    const auto noisy = [](const Certificate& each) { return each.header.noise.has_value(); };
    return noisy(certificate) || std::any_of(certificate.members.begin(), certificate.members.end(), noisy);
}

void append_noise(std::string& out, const NoiseFacts& facts, const RunSummary& run) {
    const NoiseSummary& noise = *run.noise;
    const auto measured = [&run](Real figure) {
        return run.measured ? fmt::format("{:.4e}", figure) : std::string("not measured");
    };
    append(out, "  noise, rms first {:<14} kept     {:<14} claimed      {}\n", measured(noise.first),
           measured(noise.kept), facts.sigma ? fmt::format("{:.4e}", noise.claimed) : "nothing");
    if (facts.confirm > 1)
        append(out, "  confirmations    {:<14} failed   {}\n", run.confirmations, run.failed_confirmations);
    if (noise.endless == 0) return;
    append_wrapped(out,
                   fmt::format("c delta^2 <= sigma^2 in {} rounds: nothing guarantees an end of their loops "
                               "unless delta is above {:.6g}",
                               noise.endless, noise.smallest_delta),
                   2);
}

void append_summary(std::string& out, const Certificate& certificate) {
    const RunSummary& run = certificate.summary;
    append(out, "Certificate of {} rounds ({})\n", run.totals.rounds, name(run.ending));
    append_wrapped(out, describe(certificate.header), 2);
    if (certificate.header.noise) append_wrapped(out, describe(*certificate.header.noise), 2);
    const auto measured = [&run](Real figure) {
        return run.measured ? fmt::format("{:.6e}", figure) : std::string("not measured");
    };
    append(out, "  regret Reg_w(T)  {:<14} a round  {:<14} E_T          {}\n", measured(run.regret),
           measured(run.mean_regret()), measured(run.energy));
    append(out, "  variation Vpath  {:<14} r_0      {:<14.6e} path length  {:.6e}\n", measured(run.variation),
           certificate.header.initial_gap, run.path_length);
    const auto known = [&certificate](Real figure) {
        const auto& noise = certificate.header.noise;
        return noise && !noise->losses_known ? std::string("not known") : fmt::format("{:.6e}", figure);
    };
    append(out, "  mean loss f      {:<14} f + g    {:<14} in 1-norm    {:.6e}\n", known(run.mean_loss),
           known(run.mean_objective), run.movement_one);
    append(out, "  updates N        {:<14} tests    {:<14} prox         {}\n", run.totals.steps, run.tests,
           run.totals.cost.prox);
    if (run.cheap_steps > 0) {
        append(out, "  cheap updates    {:<14} confirms {:<14} failed       {}\n", run.cheap_steps,
               run.confirmations, run.failed_confirmations);
    }
    if (sampled(certificate)) {
        append(out, "  base samples     {:<14} calls    {:<14} passes       {}\n",
               run.totals.cost.base_samples, run.totals.cost.oracle_calls, run.totals.cost.passes);
    }
    if (run.noise) append_noise(out, *certificate.header.noise, run);
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

/// One line a member: its weight and its loss; of those with a window, what they did.
void append_members(std::string& out, const Certificate& certificate) {
    constexpr std::size_t kName = 15;
    const EnsembleSummary& ensemble = *certificate.summary.ensemble;
    const RunHeader& header = certificate.header;
    const Real rounds = static_cast<Real>(std::max<Round>(certificate.summary.totals.rounds, 1));
    append(out, "\n  {:<15} {:>8} {:>10} {:>12} {:>8} {:>10}  lines\n", "member",
           ensemble.mean ? "weight" : "active", "mean f + g",
           sampled(certificate) ? "base samples" : "gradients", "updates", "own Reg");
    for (Index k = 0; k < header.members.size(); ++k) {
        const Real share =
            ensemble.mean ? ensemble.weights[k] : static_cast<Real>(ensemble.active_member[k]) / rounds;
        append(out, "  {:<15} {:>7.1f}% {:>10.5g}", shortened(member_name(header.members[k]), kName),
               100 * share, ensemble.losses[k]);
        if (k < header.points()) {
            out += '\n';
            continue;
        }
        const Certificate& member = certificate.members[k - header.points()];
        const RunSummary& run = member.summary;
        append(out, " {:>12} {:>8} {:>10}  {}\n",
               member.header.noise ? run.totals.cost.base_samples : run.totals.cost.record_gradients,
               run.totals.steps, run.measured ? fmt::format("{:.3e}", run.regret) : "-",
               member.sound() ? "hold" : "VIOLATED");
    }
    append_wrapped(
        out,
        fmt::format("Played: {:.6g} a round (mean f + g). Best member in hindsight: {} with {:.6g}. "
                    "Mean of the members' losses by their weights: {:.6g}.",
                    certificate.summary.mean_objective,
                    shortened(member_name(header.members[ensemble.best]), kName),
                    ensemble.losses[ensemble.best], ensemble.weighted_loss),
        2);
    if (!ensemble.mean) {
        append_wrapped(out,
                       fmt::format("The active member changed in {} rounds ({:.1f}%).", ensemble.switches,
                                   100 * static_cast<Real>(ensemble.switches) / rounds),
                       2);
    } else {
        append_wrapped(
            out,
            fmt::format(
                "The mean of the members was played. Its stationarity gap is measured, not bounded: rms "
                "{:.3g} in {} rounds. C1 to C3c are about the window with the largest weight.",
                ensemble.mean_gap, ensemble.measured),
            2);
    }
    if (ensemble.restarted > 0) {
        append_wrapped(
            out,
            fmt::format("In {} rounds a member was out or had been restarted, because its loss was not "
                        "finite; its own lines cover the rounds before.",
                        ensemble.restarted),
            2);
    }
}

}  // namespace

void append_wrapped(std::string& out, std::string_view text, std::size_t indent) {
    out.append(indent, ' ');
    out += wrapped(text, indent, kWidth) + '\n';
}

bool concerns(const Certificate& certificate, const Inequality& each) {
    if (each.verdict != Verdict::not_applicable) return true;
    if (each.id == "C7c") return certificate.header.priced();
    return each.id != "C9" || certificate.summary.cheap_steps > 0;
}

void append_table_head(std::string& out, std::string_view title) {
    append(out, "\n  {:<50} {:>10} {:>10} {:>8}  verdict\n", title, "left", "right", "ratio");
}

void append_inequality(std::string& out, const Inequality& each, bool always) {
    const std::string_view verdict = each.verdict == Verdict::violated            ? "VIOLATED"
                                     : each.verdict == Verdict::holds_to_rounding ? "up to rounding"
                                                                                  : name(each.verdict);
    const bool proved = kept(each.verdict);
    const bool empty = each.left == 0 && each.right == 0 && (!proved || each.id == "C0");
    const bool left = !empty && each.verdict != Verdict::stated;
    const bool right = !empty && (each.right != 0 || each.verdict != Verdict::not_applicable);
    append(out, "  {:<4}{:<46} {:>10} {:>10} {:>8}  {}\n", each.id, each.statement, side(each.left, left),
           side(each.right, right),
           left && right && std::isfinite(each.ratio()) ? fmt::format("{:.3g}", each.ratio()) : "-", verdict);
    std::string note = each.explanation;
    if (always && each.round > 0) note = fmt::format("round {}: {}", each.round, note);
    if (each.verdict == Verdict::violated) {
        note += fmt::format("{}rounding explains {:.3g} at most", note.empty() ? "" : "; ", each.slack);
    }
    // A line that holds needs no explanation, unless it could have failed by chance.
    if (!note.empty() && (always || !proved || each.confidence < 1)) append_wrapped(out, note, kIndent);
}

void append_claim(std::string& out, const PaperClaim& claim) {
    append(out, "  {}: {}\n", claim.id, claim.statement);
    if (!claim.applicable) {
        append(out, "      not applicable to this run\n");
        return;
    }
    const std::string_view outcome = claim.satisfied   ? (claim.condition ? "met" : "satisfied")
                                     : claim.condition ? "not met"
                                                       : "FAILS";
    append(out, "      {:.4e} against {:.4e}: {} on this run\n", claim.left, claim.right, outcome);
    append_wrapped(out, "wrong in general: " + claim.reason, kIndent);
}

std::string statements_held(const CertificateLines& lines) {
    std::size_t promised = 0;
    std::size_t holding = 0;
    std::string others;
    for (const Inequality& each : lines.inequalities) {
        if (each.verdict == Verdict::not_applicable) continue;
        const bool claimed = each.verdict != Verdict::not_promised;
        promised += claimed ? 1 : 0;
        holding += kept(each.verdict) ? 1 : 0;
        if (kept(each.verdict)) continue;
        others += fmt::format(", {} {}", each.id,
                              each.verdict == Verdict::violated ? "is VIOLATED" : name(each.verdict));
    }
    if (promised == 0) return "nothing was proved";
    return fmt::format("{} of {} statements hold{}", holding, promised, others);
}

std::string to_text(const Certificate& certificate) {
    std::string out;
    append_summary(out, certificate);
    append_table_head(out, "proved");
    std::string unmeasured;  // one line for all of them
    for (const Inequality& each : certificate.inequalities) {
        if (!concerns(certificate, each)) continue;
        if (!certificate.summary.measured && each.verdict == Verdict::not_applicable) {
            unmeasured += (unmeasured.empty() ? "" : ", ") + each.id;
        } else {
            append_inequality(out, each);
        }
    }
    if (!unmeasured.empty())
        append_wrapped(out, "Not applicable, since the referee was off: " + unmeasured + ".", 2);
    if (certificate.summary.ensemble) append_members(out, certificate);
    if (!certificate.paper_claims.empty()) out += "\nThe paper's claims (not proved; shown for comparison)\n";
    for (const PaperClaim& claim : certificate.paper_claims) append_claim(out, claim);
    out += '\n';
    append_wrapped(out, conclusion(certificate), 0);
    return out;
}

}  // namespace proxstream
