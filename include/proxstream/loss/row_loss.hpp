/// Losses of data rows by name: make one from its text, or register one of your own.
#pragma once

#include "proxstream/core/spec.hpp"
#include "proxstream/loss/row_family.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// What a loss needs before it can be made: the number of features, whether there is an intercept, and the
/// number of classes. make_row_family takes it together with the text of the loss.
///
/// \code
/// const RowShape shape{.features = 20, .intercept = false};
/// const auto family = make_row_family("logistic", shape);
/// \endcode
struct RowShape {
    Index features = 0;     ///< number of features of a row
    bool intercept = true;  ///< for linear models only: networks always have biases, pca has none
    Index classes = 0;      ///< number of classes, for losses whose text does not give it; 0: not known
    std::vector<Real> largest = {};  ///< largest value of each feature, if all rows are known; else empty
};

/// Makes a loss from a text: `huber:1.5`, `mlp:hidden=16;16,task=softmax,classes=3`, or a registered name.
/// Throws ConfigError if the name or an argument is unknown or out of range.
std::unique_ptr<RowFamily> make_row_family(std::string_view loss, const RowShape& shape);

/// The base class of a row loss of your own: derive from it, then register_loss puts it behind a name. The
/// loss of a record is the mean over its rows. All methods may be called from several threads at once.
/// Example: examples/plugin/plugin.cpp
class RowLoss {
  public:
    virtual ~RowLoss() = default;

    /// Length of x.
    virtual Index dimension() const = 0;
    /// Number of leading coordinates that a regulariser acts on; all unless overridden.
    virtual Index penalised() const { return dimension(); }
    /// What targets have to be; numbers unless overridden.
    virtual TargetKind target_kind() const { return TargetKind::number; }
    /// Number of classes if targets are categories; else 0.
    virtual Index classes() const { return 0; }

    /// Returns the loss of a row and overwrites `gradient`, which has the length of x. A loss that is
    /// undefined at x returns NaN or infinity: the round is then refused.
    virtual Real value_and_gradient(ConstView features, Real target, ConstView x, View gradient) const = 0;
    /// The prediction for a row whose target is not known, see RowFamily::predict.
    virtual Real predict(ConstView features, ConstView x) const = 0;

    /// L such that the row's gradient is L-Lipschitz on all of R^n; nullopt: not known.
    virtual std::optional<Real> smoothness(ConstView /*features*/) const { return std::nullopt; }
    /// A lower bound of the loss of every row.
    virtual Real infimum() const { return -kInfinity; }
    /// Writes the default starting point; zeros unless overridden.
    virtual void start(View x, std::uint64_t seed) const;
};

/// Registers a loss under `name`, which then works everywhere: in make_row_family, the program's options,
/// model files, run stores and the service. `usage` shows its arguments, `help` says what it is. `make` reads
/// the arguments from the spec; arguments that it does not read are refused. Throws ConfigError if the name
/// is taken or ill-formed. Register before other threads parse texts: the table is not locked. Example:
/// examples/plugin/plugin.cpp
void register_loss(std::string name, std::string usage, std::string help,
                   std::function<std::unique_ptr<RowLoss>(const Spec& spec, const RowShape& shape)> make);

}  // namespace proxstream
