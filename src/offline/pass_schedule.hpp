/// Steps that shrink with the passes made.
#pragma once

#include "offline/argument_reader.hpp"

namespace proxstream {

/// eta_0, divided by what has grown since.
class PassSchedule {
  public:
    enum class Decay : std::uint8_t { constant, sqrt, inverse, epoch };

    PassSchedule() = default;
    PassSchedule(Decay kind, Real step, Real decay) : kind_(kind), step_(step), decay_(decay) {}

    bool constant() const noexcept { return kind_ == Decay::constant; }
    Real at(Real passes) const;
    Real step() const noexcept { return step_; }  // eta_0

  private:
    Decay kind_ = Decay::constant;
    Real step_ = 0;
    Real decay_ = 0;  // a pass
};

/// `step=`, `schedule=constant|sqrt|inverse|epoch`, `decay=`; `step` is the default, from `source`.
PassSchedule read_schedule(ArgumentReader& arguments, Real step, std::string_view source);

/// Passes behind an iteration, counted from 0, of a method that takes a batch in each.
Real passes_of(std::uint64_t iteration, Index batch, const SampledLoss& loss);

}  // namespace proxstream
