/// What it takes to pass each link as a function of its load, and what a run adds up from it.
///
///   bpr         t_0 (1 + B (y/c)^power), the form of road networks; B and power of each link, or one for all
///   polynomial  t_0 sum_k a_k (y/c)^k
///   queue       1 / (c - y), the delay of an M/M/1 queue of capacity c
///   davidson    t_0 (1 + J u / (1 - u)), u = y/c: a queue on top of the free time
///   s-shape     t_0 (1 + B s((u - middle) / width)), s the logistic function: saturates, so y t(y) is not
///   convex
/// Queues are continued beyond `cap` c by their second Taylor polynomial there: finite, increasing, convex
/// and twice continuously differentiable for every load. Tolls and distances add a constant to every one of
/// them.
#pragma once

#include "proxstream/core/checkpoint.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/traffic/network.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The function of a link's load that a run adds up, with its first two derivatives.
struct LinkTerm {
    Real value = 0;
    Real marginal = 0;
    Real curvature = 0;
};

/// A term that is a sum of two: one linear in the load, the other homogeneous of a degree,
/// term(s y) = s linear(y) + s^degree power(y). Derivatives are those of each.
struct TermParts {
    LinkTerm linear, power;
};

/// The time to pass a link: its integral from load 0 on, itself, and two derivatives.
struct LinkTime {
    Real integral = 0;
    Real time = 0;
    Real slope = 0;
    Real bend = 0;
};

/// What is minimised, from the times t_e at loads y_e:
///   system       sum y_e t_e(y_e): everybody's time together. delay is the same with queues for times
///   user         sum of the integrals of t_e (Beckmann): its minimiser is the user equilibrium
///   utilisation  sum (y_e / c_e)^q: its q-th root lies between the largest utilisation and m^(1/q) times it
///   unweighted   sum_i sum_p x_ip t_p, not weighted by demand, as the paper writes it: not convex where
///                demands differ (docs/theory.md); not a sum of terms of loads alone
enum class ObjectiveKind { system, user, utilisation, unweighted };

struct Objective {
    ObjectiveKind kind = ObjectiveKind::system;
    Real power = 8;  // q of utilisation
    /// Throws ConfigError that names what is allowed. `delay` is system; the caller takes queues for times.
    static Objective parse(std::string_view text);
};

struct CostRow {
    std::string_view name, usage, help;
};
std::span<const CostRow> link_cost_forms();
std::span<const CostRow> objectives();

/// The form of link times that goes with an objective: `delay` is made of queues, which `cost` may only
/// parametrise; "bpr", the default, becomes "queue" there. Throws ConfigError for another form.
std::string link_cost_form(std::string_view cost, std::string_view objective);

/// u^p; whole numbers up to 64 by multiplications, which give the same bits everywhere.
Real raise_to(Real u, Real p);

class LinkCosts {
  public:
    struct Factors {
        Real toll = 0;
        Real distance = 0;
    };
    /// `form` as above, with arguments: bpr[:b=B,power=P], polynomial:A0,A1,.., queue[:cap=.98],
    /// davidson[:j=.25,cap=.95], s-shape[:b=1,middle=1,width=.1]. Throws ConfigError.
    LinkCosts(const Network& network, std::string_view form, Objective objective, Factors factors);

    /// Capacity is `factor` times the one of the file, from now on.
    void scale_capacity(LinkIndex link, Real factor);
    /// Capacities of the file are `factor` times what they were when this was made, for good.
    void scale_all(Real factor);
    /// Capacities, as they are and as factors refer to them.
    void exchange(Checkpoint& checkpoint);
    Real capacity(LinkIndex link) const { return capacity_[link]; }
    Real file_capacity(LinkIndex link) const { return file_capacity_[link]; }
    const Objective& objective() const noexcept { return objective_; }
    Index links() const noexcept { return capacity_.size(); }

    /// At a load >= 0.
    LinkTime time(LinkIndex link, Real load) const;
    /// Not for ObjectiveKind::unweighted.
    LinkTerm term(LinkIndex link, Real load) const;
    /// The terms of several loads at a time, at most kTogether: the same bits.
    static constexpr Index kTogether = 32;
    struct Terms {
        Real value[kTogether], marginal[kTogether], curvature[kTogether];
    };
    void terms(LinkIndex link, ConstView loads, Terms& terms) const;
    /// The degrees of the terms' second parts, where all terms have two parts and degrees are few; else
    /// empty. What multiples of one load come to then follows from moments of the factors alone.
    std::span<const Real> degrees() const noexcept { return degrees_; }
    Index degree_of(LinkIndex link) const { return degree_of_.empty() ? 0 : degree_of_[link]; }
    /// Where there are degrees.
    TermParts parts(LinkIndex link, Real load) const;
    /// Whether the sum is convex in the splits, whatever the demand.
    bool convex() const noexcept;

    /// Time of every link at load 0, by which first paths are searched; 1 for all where all are 0, with a
    /// note that says so.
    std::vector<Real> search_times(std::vector<std::string>& notes) const;

  private:
    void follow_capacity(LinkIndex link);
    void find_degrees();
    enum class Form { bpr, polynomial, queue, s_shape };
    LinkTime bpr(LinkIndex link, Real load) const;
    LinkTime polynomial(LinkIndex link, Real load) const;
    LinkTime queue(LinkIndex link, Real load) const;
    LinkTime s_shape(LinkIndex link, Real load) const;

    Form form_ = Form::bpr;
    Objective objective_;
    std::vector<Real> made_with_, file_capacity_, capacity_;
    std::vector<Real> fixed_;      // whatever the load
    std::vector<Real> free_time_;  // t_0
    std::vector<Real> b_, power_;  // of bpr and s-shape
    std::vector<Real> service_;    // of a queue: service / (c - y)
    std::vector<Real> coefficients_;
    std::vector<Real> degrees_;
    std::vector<unsigned char> degree_of_;  // by link; empty: the only one
    Real cap_ = 1;
    Real middle_ = 1, width_ = 1;
    Real share_ = 0;  // J of davidson; 0: a plain queue
};

}  // namespace proxstream
