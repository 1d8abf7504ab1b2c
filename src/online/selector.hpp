/// Chooses the active member of an ensemble whose decision is not the mean. It keeps weights over the
/// members, moved by the losses they have shown, and draws from them.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/core/types.hpp"

#include "core/ada_share.hpp"
#include "core/mixture.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class StateArchive;

struct SelectionRow {
    std::string_view name;
    std::string_view usage;
    std::string_view help;
};

class Selector {
  public:
    enum class Kind {
        draw,    // AdaShare's weights: track the best member through switches; the bound is measured (C8)
        hedge,   // exponential weights at one rate
        leader,  // the member with the least discounted loss: no draw, no guarantee against an adversary
    };
    struct Options {
        Kind kind = Kind::draw;
        Real switches = 4;  // S_0: AdaShare's rate is set for so many switches of the best member
        Real rate = 0;      // eps of hedge; 0: from the range of losses and the number of rounds
        Real range = 1;
        Real rounds = 10'000;
        Real discount = 0.98;  // of the leader's memory
        Real margin = 0.3;     // a new leader is better by so much of a usual round's spread of losses
        bool coupled = true;   // draws keep the member where the weights allow it; else a fresh draw
    };

    Selector(const Options& options, Index members, std::uint64_t seed);

    ConstView weights() const noexcept { return now_.share.weights(); }  // p_t
    Index active() const noexcept { return now_.active; }                // k_t
    /// eps_t and al_t of the update that update() made last; rate 0: the weights follow no rule.
    Real rate() const noexcept { return options_.kind == Kind::leader ? 0 : now_.share.rate(); }
    Real share() const noexcept { return now_.share.share(); }

    /// l_t(k) for every member: moves to p_{t+1} and k_{t+1}.
    void update(ConstView losses);

    void serialise(StateArchive& archive);

  private:
    struct State {
        AdaShare share;
        std::vector<Real> discounted;  // losses as the leader remembers them
        Real spread = 0;               // discounted sum of max l - min l
        Real rounds = 0;               // discounted
        Index active = 0;
        Round round = 0;

        void serialise(StateArchive& archive);
    };

    void follow_leader(ConstView losses);
    /// `earlier` are the weights before the update.
    void draw(ConstView earlier);

    Options options_;
    std::uint64_t seed_;
    State now_;
};

/// How an ensemble turns its members into a decision: their mean, or one of them.
struct Selection {
    std::optional<Mixture::Options> mean;  // empty: a member is drawn
    Selector::Options member;
    std::string text;

    /// "mean[:mixers=..]", "draw[:switches=4,draws=coupled|fresh]", "hedge:rate=..",
    /// "hedge:range=..,rounds=.." or "leader[:discount=0.98,margin=0.3]". Throws ConfigError.
    static Selection parse(std::string_view text);
    static std::span<const SelectionRow> rows();
};

}  // namespace proxstream
