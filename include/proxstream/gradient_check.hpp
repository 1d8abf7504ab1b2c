/// Compares the gradient that a loss writes with differences of its values.
#pragma once

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

#include <functional>
#include <string>
#include <vector>

namespace proxstream {

/// Thrown when a loss writes a gradient that differences of its own values contradict. OnlineLearner::observe
/// throws it in the first rounds; the message names the first coordinate found to be wrong and both figures.
///
/// \code
/// try {
///     learner.observe(loss);
/// } catch (const GradientMismatch& error) {
///     std::cerr << "coordinate " << error.coordinate() << ": " << error.what() << '\n';
/// }
/// \endcode
class GradientMismatch : public Error {
  public:
    /// `coordinate` is counted from 0.
    GradientMismatch(Index coordinate, Real given, Real measured);
    /// The wrong coordinate, counted from 0.
    Index coordinate() const noexcept { return coordinate_; }
    Real given() const noexcept { return given_; }        ///< the derivative that the loss wrote
    Real measured() const noexcept { return measured_; }  ///< the slope of its values

  private:
    Index coordinate_;
    Real given_;
    Real measured_;
};

/// The result of check_gradient: one entry for each coordinate. agrees() says whether all of them are right,
/// and text() lists those that are wrong.
///
/// \code
/// const GradientReport report = check_gradient(loss, x);
/// if (!report.agrees()) std::cerr << report.text();
/// \endcode
struct GradientReport {
    /// The comparison of one coordinate.
    struct Entry {
        Index coordinate = 0;  ///< counted from 0
        Real given = 0;        ///< the derivative that the loss wrote
        Real measured = 0;     ///< the slope of its values
        bool compared = true;  ///< false: the loss is not finite on both sides of x
        bool agrees = true;    ///< whether the two figures agree; true if they were not compared
    };
    std::vector<Entry> entries;  ///< one for each coordinate

    /// Whether every coordinate agrees.
    bool agrees() const;
    /// The mismatches, a line each; "" if there are none.
    std::string text() const;
};

/// A loss given as a function: returns f(x) and writes grad f(x) to `gradient`.
using LossFunction = std::function<Real(ConstView x, View gradient)>;

/// Compares every coordinate of the gradient at x with differences of values, at four evaluations each.
/// Rounding, curvature and kinks between the compared points are allowed for, so a correct gradient agrees.
/// Errors below one percent of a derivative are not detected. Throws ConfigError if the loss is not finite at
/// x.
GradientReport check_gradient(const LossFunction& loss, ConstView x);

}  // namespace proxstream
