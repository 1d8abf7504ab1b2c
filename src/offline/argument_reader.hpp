/// Reads the arguments of stochastic methods, and records each value with its source.
#pragma once

#include "offline/estimators.hpp"
#include "offline/method_table.hpp"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace proxstream {

class ArgumentReader {
  public:
    ArgumentReader(const Spec& spec, const MethodParts& parts) : spec_(spec), parts_(parts) {}

    /// The argument, or the default, whose origin is `source`.
    Real positive(std::string_view key, Real fallback, std::string_view source);
    Real not_negative(std::string_view key, Real fallback, std::string_view source);
    Real fraction(std::string_view key, Real fallback, std::string_view source);  // in [0, 1]
    Index count(std::string_view key, Index fallback, std::string_view source);
    std::string word(std::string_view key, std::initializer_list<std::string_view> allowed,
                     std::string_view fallback, std::string_view source);
    /// `step=`, times the scale of a sweep.
    Real step(Real fallback, std::string_view source);
    /// sigma_0: `sigma0=`, or measured at the start; the method must charge setup_cost().
    Real sigma0();
    bool gives(std::string_view key) const { return spec_.has(key); }

    /// A constant that parameters follow from.
    void note(std::string_view name, Real value, std::string_view source);
    /// Throws ConfigError unless `holds`.
    void require(bool holds, const std::string& what) const;

    const OfflineProblem& problem() const { return parts_.problem; }
    const MethodParts& parts() const { return parts_; }
    std::uint64_t components() const { return parts_.problem.loss->components(); }
    bool is_sum() const { return components() > 0; }
    /// Measured once, at the start.
    const GradientNoise& noise();
    /// Notes that an iteration will take so many samples at once.
    void takes(std::uint64_t samples) { largest_batch_ = std::max(largest_batch_, samples); }
    std::uint64_t largest_batch() const { return largest_batch_; }
    const Cost& setup_cost() const { return setup_cost_; }
    std::vector<MethodParameter> parameters() const { return parameters_; }

    /// Lipschitz constants for default parameters, recorded: the closest known one.
    Real mean_smoothness();         // L
    Real mean_square_smoothness();  // Lb
    Real largest_smoothness();      // of single samples, else Lb

  private:
    Real read(std::string_view key, Real fallback, std::string_view source);
    Real usable(std::string_view name, Real smoothness);

    const Spec& spec_;
    const MethodParts& parts_;
    std::optional<GradientNoise> noise_;
    Cost setup_cost_;
    std::uint64_t largest_batch_ = 0;
    std::vector<MethodParameter> parameters_;
};

/// n^power, rounded, at least 1.
Index root_batch(std::uint64_t n, Real power);
/// The least count >= value, at most 10^15.
std::uint64_t count_of(Real value);

}  // namespace proxstream
