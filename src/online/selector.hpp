/// Who of a bank plays next: weights over its members, moved by the losses they have shown, and a draw from
/// them.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/core/types.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class Checkpoint;

struct SelectorRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
};

class Selector {
  public:
    enum class Kind {
        adashare,  // tracks the best member through switches, scale-free; its bound is measured (C8)
        hedge,     // exponential weights at one rate
        leader,    // the member with the least discounted loss: no draw, no guarantee against an adversary
    };
    struct Options {
        Kind kind = Kind::adashare;
        Real switches = 4;  // S_0: AdaShare's rate is set for so many switches of the best member
        Real rate = 0;      // eps of hedge; 0: from the range of losses and the number of rounds
        Real range = 1;
        Real rounds = 10'000;
        Real discount = 0.98;  // of the leader's memory
        Real margin = 0.3;     // a new leader is better by so much of a usual round's spread of losses
        bool coupled =
            true;           // draws keep the member where the weights allow it; else a fresh draw each round
        bool mean = false;  // play the weights' mean of the members while they are close together
        Real tau = 0;       // (L/2) Var_p up to which they are
    };

    /// "adashare[:switches=4,draws=coupled|fresh]", "hedge:rate=..." or "hedge:range=..,rounds=..",
    /// "leader[:discount=0.98,margin=0.3]", "mean[:tau=..]". Throws ConfigError.
    static Options parse(std::string_view text);
    static std::span<const SelectorRow> rows();

    Selector(const Options& options, Index members, std::uint64_t seed);

    ConstView weights() const noexcept { return now_.weights; }  // p_t
    Index in_charge() const noexcept { return now_.in_charge; }  // k_t
    /// eps_t and al_t of the update that update() made last.
    Real rate() const noexcept { return now_.scale > 0 ? 1 / now_.scale : 0; }
    Real share() const noexcept { return now_.share; }

    /// l_t(k) for every member: moves to p_{t+1} and k_{t+1}.
    void update(ConstView losses);
    /// Forgets the last update().
    void take_back();

    void exchange(Checkpoint& checkpoint);

  private:
    struct State {
        std::vector<Real> weights;     // p
        std::vector<Real> logarithms;  // ln p: a weight too small for a double may come back
        std::vector<Real> discounted;  // losses as the leader remembers them
        Real mixability = 0;           // D: sum of <p, l> - m
        Real scale = 0;                // 1 / eps, never falling
        Real share = 0;                // al
        Real spread = 0;               // discounted sum of max l - min l
        Real rounds = 0;               // discounted
        Index in_charge = 0;
        Round round = 0;

        void exchange(Checkpoint& checkpoint);
    };

    void share_weights(ConstView losses);
    void follow_leader(ConstView losses);
    void draw();

    Options options_;
    std::uint64_t seed_;
    State now_, before_;
};

}  // namespace proxstream
