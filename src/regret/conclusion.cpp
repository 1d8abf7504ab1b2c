/// What was proved, in one sentence.
#include "core/rounding.hpp"
#include "regret/certificate_text.hpp"

namespace proxstream {
namespace {

/// The violation to name. Noise beyond its bound (C10) explains all others.
const Inequality* first_violation(const Certificate& certificate) {
    const Inequality* found = nullptr;
    for (const Inequality& each : certificate.inequalities) {
        if (each.verdict == Verdict::violated && (found == nullptr || each.id == "C10")) found = &each;
    }
    return found;
}

/// Ids of the lines whose verdict `picks`.
template <class Picks>
std::string list(const Certificate& certificate, Picks picks) {
    std::string ids;
    for (const Inequality& each : certificate.inequalities) {
        if (picks(each.verdict) && concerns(certificate, each)) ids += (ids.empty() ? "" : ", ") + each.id;
    }
    return ids;
}

/// Rounds whose loops need not end, if some had to be cut off.
std::string endless(const RunSummary& run) {
    if (!run.noise || run.noise->endless == 0 || run.budget_exhausted == 0) return {};
    return fmt::format(
        "; c delta^2 <= sigma^2, so that {} rounds ended on their budget: delta has to be above {:.4g}",
        run.budget_exhausted, run.noise->smallest_delta);
}

/// The regret as a statement that holds whatever rounding did.
std::string regret_words(const RunSummary& run) {
    if (run.regret_bound <= run.regret * (1 + kSmallSlack)) return fmt::format("{:.4g}", run.regret);
    return fmt::format("at most {:.4g} ({:.4g} as measured, with rounding)", run.regret_bound, run.regret);
}

/// Without exact figures.
std::string unmeasured(const Certificate& certificate) {
    if (certificate.summary.ensemble)
        return "Nothing was proved of what was played: the referee was off. What each member proved stands "
               "with it.";
    const Inequality& bound = certificate.at("C11");
    std::string text =
        bound.verdict == Verdict::stated
            ? fmt::format(
                  "Certified with probability {:g} at least: the local regret over {} rounds is at most "
                  "{:.4g}, if the noise is what was claimed; it was not measured",
                  bound.confidence, certificate.summary.totals.rounds, bound.right)
            : "Nothing was proved: " + bound.explanation;
    return text + endless(certificate.summary) + ".";
}

/// What is proved of the loss of what an ensemble played.
std::string ensemble_words(const Certificate& certificate) {
    const RunSummary& run = certificate.summary;
    const bool mean = run.ensemble->mean;
    const Inequality& loss = certificate.at("C8");
    std::string text = mean ? " of the windows that led" : " of the active members";
    if (!kept(loss.verdict)) return text;
    if (!mean) {
        return text + fmt::format(
                          ", and the weights' mean of f + g, {:.4g} a round, is within its bound "
                          "against the best sequence of members",
                          run.ensemble->weighted_loss);
    }
    return text + fmt::format(
                      ", and the loss of the mean that was played, {:.4g} a round, is at most {:.4g}, "
                      "that of the best member and the price of not knowing it",
                      run.mean_objective, (loss.right + loss.slack) / static_cast<Real>(run.totals.rounds));
}

std::string noise_words(const Certificate& certificate) {
    std::string text;
    if (certificate.summary.noise) {
        const Inequality& bound = certificate.at("C11");
        if (kept(bound.verdict)) {
            text = fmt::format(
                "; sampled gradients alone certify {:.4g} at most with probability {:g} at least, if the "
                "noise is what was claimed",
                bound.right, bound.confidence);
        }
        text += endless(certificate.summary);
    }
    for (const Certificate& member : certificate.members) {
        if (const std::string cut = endless(member.summary); !cut.empty())
            text += "; member " + member_name(member.header) + cut.substr(1);
    }
    return text;
}

/// The lines that do not hold, though none is violated.
std::string open_lines(const Certificate& certificate) {
    const auto missed = [](Verdict verdict) { return verdict == Verdict::missed; };
    const auto undecided = [](Verdict verdict) { return verdict == Verdict::undecided; };
    const auto open = [&](Verdict verdict) {
        return !kept(verdict) && !missed(verdict) && !undecided(verdict);
    };
    std::string text;
    if (const std::string ids = list(certificate, missed); !ids.empty())
        text += fmt::format("; missed, though promised with a probability or in the mean only: {}", ids);
    if (const std::string ids = list(certificate, undecided); !ids.empty())
        text += fmt::format("; rounding leaves {} undecided", ids);
    if (const std::string ids = list(certificate, open); !ids.empty())
        text += fmt::format("; nothing is claimed about {}", ids);
    return text;
}

}  // namespace

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
    if (!run.measured) return unmeasured(certificate);
    const Inequality& path = certificate.at("C3a");
    const Inequality& minkowski = certificate.at("C3b");
    if (path.verdict == Verdict::not_applicable) return "Nothing was proved: " + path.explanation + ".";
    std::string text = fmt::format("Proved on this run: the local regret over {} rounds is {}",
                                   run.totals.rounds, regret_words(run));
    if (kept(path.verdict) && kept(minkowski.verdict)) {
        text += fmt::format(", at most {:.4g} by gaps and variation along the path",
                            minkowski.right + minkowski.slack + path.slack);
    }
    if (run.ensemble) {
        text += ensemble_words(certificate);
    } else if (kept(certificate.at("C6").verdict)) {
        text += fmt::format(", and its {} inner updates are within what the energy E_T = {:.4g} allows",
                            run.totals.steps, run.energy);
    }
    return text + noise_words(certificate) + open_lines(certificate) + ".";
}

}  // namespace proxstream
