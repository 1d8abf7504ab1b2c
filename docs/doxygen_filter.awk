# Prepares a header for doxygen; it neither adds nor removes lines, so that warnings name the right ones.
# The comment at the top of a header describes the file: without \file doxygen would give it to the namespace.
/^#pragma once$/ { print "/// \\file"; next }
# Functions that a regulariser may offer mean the same in every class. They are described here once, unless a
# header has its own comment for them.
/^    [A-Za-z].*\) const( |;|$)|^    Real switching_prox\(/ && before !~ /^ *\/\/\// {
    said = ""
    if (/ value\(ConstView x, Scratch&/) said = "g(x); +infinity outside the domain. See Regulariser."
    if (/ prox\(ConstView v, Real step, View out, Scratch&/)
        said = "Writes the minimiser z of step g(z) + |v - z|^2 / 2 to `out` and returns g(z). See Regulariser."
    if (/ check_dimension\(Index n\)/) said = "Throws ConfigError if g does not suit vectors of length n."
    if (/ project_direction\(View d\)/)
        said = "Removes from d the part that is orthogonal to the affine hull of the domain of g."
    if (/ infimum\(\)/) said = "inf g, or a lower bound of it."
    if (/ prox_scale\(Index/) said = "Magnitude of the constants in prox(), for bounds on rounding errors."
    if (/ sum_traits\(\)/) said = "Which sums with other regularisers have a known prox."
    if (/ can_switch\(\)/) said = "Whether switching_prox() can be used."
    if (/ switching_prox\(/)
        said = "Writes the minimiser z of step g(z) + pull |z - centre|_1 + |v - z|^2 / 2 and returns g(z)."
    before = $0
    print (said == "" ? "" : "/** " said " */") $0
    next
}
{ before = $0; print }
