/// Travel time of each link as a function of its load, and the objective that a run minimises.
///
///     bpr         t_0 (1 + B (y/c)^power), the form of road networks; B and power of each link or common
///     polynomial  t_0 sum_k a_k (y/c)^k
///     queue       1 / (c - y), the delay of an M/M/1 queue of capacity c
///     davidson    t_0 (1 + J u / (1 - u)), u = y/c: a queue on top of the free time
///     s-shape     t_0 (1 + B s((u - middle) / width)), s the logistic function; y t(y) is not convex
///
/// Queues are continued beyond `cap` c by their second Taylor polynomial there: finite, increasing, convex
/// and twice continuously differentiable for every load. Tolls and distances add a constant to the time.
#pragma once

#include "proxstream/core/state_archive.hpp"
#include "proxstream/core/types.hpp"
#include "proxstream/traffic/network.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The contribution of one link to the objective at its load, with two derivatives. LinkCosts::term returns
/// it; the objective is the sum over all links.
///
/// \code
/// const LinkTerm term = costs.term(link, 500);
/// const Real newton_step = term.marginal / term.curvature;
/// \endcode
struct LinkTerm {
    Real value = 0;      ///< the contribution
    Real marginal = 0;   ///< its first derivative in the load
    Real curvature = 0;  ///< its second derivative in the load
};

/// A LinkTerm split into a part linear in the load and a homogeneous part: term(s y) = s linear(y) + s^degree
/// power(y). With it the terms of many multiples of one load follow from a few sums. LinkCosts::parts returns
/// it where LinkCosts::degrees is not empty.
///
/// \code
/// const TermParts parts = costs.parts(link, 500);
/// const Real degree = costs.degrees()[costs.degree_of(link)];
/// const Real at_double_load = 2 * parts.linear.value + std::pow(2, degree) * parts.power.value;
/// \endcode
struct TermParts {
    LinkTerm linear;  ///< the part that is linear in the load
    LinkTerm power;   ///< the homogeneous part
};

/// The travel time of a link at its load, with its integral from load 0 and two derivatives. LinkCosts::time
/// returns it.
///
/// \code
/// const LinkTime at = costs.time(link, 500);
/// std::cout << at.time << " minutes, " << at.slope << " more for each further vehicle\n";
/// \endcode
struct LinkTime {
    Real integral = 0;  ///< integral of the time from load 0 on
    Real time = 0;      ///< t(y)
    Real slope = 0;     ///< first derivative of the time
    Real bend = 0;      ///< second derivative of the time
};

/// What is minimised, computed from the times t_e at loads y_e. Objective holds one with its parameter.
///
/// - `system`: sum y_e t_e(y_e), the total time of all trips. The objective `delay` of the program is the
///   same with queues for times.
/// - `user`: sum of the integrals of t_e (Beckmann), whose minimiser is the user equilibrium.
/// - `utilisation`: sum (y_e / c_e)^q. Its q-th root lies between the largest utilisation and m^(1/q) times
///   that, for m links.
/// - `unweighted`: sum_i sum_p x_ip t_p, not weighted by demand, as the paper writes it. It is not convex
///   where demands differ (docs/theory.md), and not a sum of terms of loads alone.
///
/// \code
/// const LinkCosts costs(network, "bpr", Objective{.kind = ObjectiveKind::user}, {});
/// \endcode
enum class ObjectiveKind { system, user, utilisation, unweighted };

/// The objective of a traffic assignment. parse() reads the words that the program's option `--objective`
/// takes.
///
/// \code
/// const Objective total_time;  // the system optimum
/// const Objective utilisation = Objective::parse("utilisation:power=8");
/// \endcode
struct Objective {
    ObjectiveKind kind = ObjectiveKind::system;  ///< what is minimised
    Real power = 8;                              ///< q of utilisation
    /// Throws ConfigError that names what is allowed. `delay` is read as system; the caller must choose the
    /// cost form `queue`.
    static Objective parse(std::string_view text);
};

/// One entry of the list of cost forms or of objectives, for help texts. link_cost_forms() and objectives()
/// return the lists.
///
/// \code
/// for (const CostRow& row : link_cost_forms()) std::cout << row.usage << ": " << row.help << '\n';
/// \endcode
struct CostRow {
    std::string_view name;   ///< the word before the colon
    std::string_view usage;  ///< an example with every argument
    std::string_view help;   ///< the formula or a description
};
/// Every cost form that LinkCosts accepts.
std::span<const CostRow> link_cost_forms();
/// Every objective that Objective::parse accepts.
std::span<const CostRow> objectives();

/// The cost form that goes with an objective. `delay` needs queues: "bpr", the default, becomes "queue"
/// there, and `cost` may only give parameters of a queue. Throws ConfigError for another form.
std::string link_cost_form(std::string_view cost, std::string_view objective);

/// u^p. Whole numbers p up to 64 are computed by multiplications, which give the same bits everywhere.
Real raise_to(Real u, Real p);

/// Travel times of all links of a network as functions of their loads, and the objective formed from them.
/// Capacities can change during a run (closures, incidents).
///
/// \code
/// LinkCosts costs(network, "davidson:j=0.5,cap=0.95", Objective{}, {});
/// costs.scale_capacity(0, 0.5);  // link 0 loses half of its capacity
/// const Real minutes = costs.time(0, 500).time;
/// \endcode
class LinkCosts {
  public:
    /// What a unit of toll and of length adds to the time of a link.
    struct Factors {
        Real toll = 0;      ///< time for each unit of toll
        Real distance = 0;  ///< time for each unit of length
    };
    /// `form` is one of the forms above with its arguments: bpr[:b=B,power=P], polynomial:A0,A1,..,
    /// queue[:cap=.98], davidson[:j=.25,cap=.95], s-shape[:b=1,middle=1,width=.1]. Throws ConfigError.
    LinkCosts(const Network& network, std::string_view form, Objective objective, Factors factors);

    /// Sets the capacity of a link to `factor` times that of the file.
    void scale_capacity(LinkIndex link, Real factor);
    /// Sets the capacities of the file to `factor` times what they were at construction. Factors of single
    /// links stay.
    void scale_all(Real factor);
    /// Saves or restores the capacities.
    void serialise(StateArchive& archive);
    /// The current capacity of a link.
    Real capacity(LinkIndex link) const { return capacity_[link]; }
    /// The capacity that factors of scale_capacity() refer to.
    Real file_capacity(LinkIndex link) const { return file_capacity_[link]; }
    /// The same of all links.
    ConstView file_capacities() const noexcept { return file_capacity_; }
    /// The objective.
    const Objective& objective() const noexcept { return objective_; }
    /// Number of links.
    Index links() const noexcept { return capacity_.size(); }

    /// The travel time at a load >= 0.
    LinkTime time(LinkIndex link, Real load) const;
    /// The link's contribution to the objective. Not for ObjectiveKind::unweighted.
    LinkTerm term(LinkIndex link, Real load) const;
    /// Largest number of loads in one call of terms().
    static constexpr Index kTogether = 32;
    /// Terms of several loads of one link.
    struct Terms {
        Real value[kTogether];      ///< contributions to the objective, one for each load
        Real marginal[kTogether];   ///< first derivatives in the load
        Real curvature[kTogether];  ///< second derivatives in the load
    };
    /// The terms of at most kTogether loads of one link, bit for bit those of term().
    void terms(LinkIndex link, ConstView loads, Terms& terms) const;
    /// The degrees of the homogeneous parts of the terms (see TermParts), if all terms have two parts and
    /// there are few degrees; else empty.
    std::span<const Real> degrees() const noexcept { return degrees_; }
    /// Which of degrees() a link has.
    Index degree_of(LinkIndex link) const { return degree_of_.empty() ? 0 : degree_of_[link]; }
    /// The two parts of a term. Only if degrees() is not empty.
    TermParts parts(LinkIndex link, Real load) const;
    /// Whether the objective is convex in the splits for every demand.
    bool convex() const noexcept;

    /// Time of every link at load 0.
    std::vector<Real> free_times() const;
    /// The same for the search of the first paths. If all are 0 it returns 1 for each link and adds a
    /// sentence to `notes`.
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
