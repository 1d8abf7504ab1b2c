/// Losses of data rows by name: making one from its text, and registering one of your own.
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

/// What the data say about the shape of a model.
struct RowShape {
    Index features = 0;
    bool intercept = true;           // linear models only: networks always have biases, pca has none
    Index classes = 0;               // for losses over categories whose text does not tell; 0: not known
    std::vector<Real> largest = {};  // of each feature, where all rows are known; else empty
};

/// `huber:1.5`, `mlp:hidden=16;16,task=softmax,classes=3`, or a registered name. Throws ConfigError if the
/// name or an argument is unknown or out of range.
std::unique_ptr<RowFamily> make_row_family(std::string_view loss, const RowShape& shape);

/// A loss of one row, written by you and put behind a name by register_loss. A record's loss is the mean over
/// its rows. All methods are called from several threads at once.
class RowLoss {
  public:
    virtual ~RowLoss() = default;

    /// Length of x. A regulariser acts on the first penalised() coordinates.
    virtual Index dimension() const = 0;
    virtual Index penalised() const { return dimension(); }
    virtual TargetKind target_kind() const { return TargetKind::number; }
    /// Of a target that is a category; else 0.
    virtual Index classes() const { return 0; }

    /// Returns the loss of a row and overwrites `gradient`, which has the length of x. A loss that is
    /// undefined at x returns NaN or infinity: the round is then refused.
    virtual Real value_and_gradient(ConstView features, Real target, ConstView x, View gradient) const = 0;
    /// What the model says of a row whose target is not known: see RowFamily::predict.
    virtual Real predict(ConstView features, ConstView x) const = 0;

    /// An L such that the row's gradient is L-Lipschitz on all of R^n; nullopt: not known.
    virtual std::optional<Real> smoothness(ConstView /*features*/) const { return std::nullopt; }
    /// A lower bound of the loss of every row.
    virtual Real infimum() const { return -kInfinity; }
    /// Where learning starts; zeros unless overridden.
    virtual void start(View x, std::uint64_t seed) const;
};

/// Makes `name` a loss wherever texts name one: make_row_family, the program's options, model files, run
/// stores and the service. `usage` shows its arguments, `help` says what it is. `make` reads the arguments
/// from the spec; arguments that it does not read are refused. Throws ConfigError if the name is in use or
/// ill-formed. Register before other threads parse texts: the table is not locked.
void register_loss(std::string name, std::string usage, std::string help,
                   std::function<std::unique_ptr<RowLoss>(const Spec& spec, const RowShape& shape)> make);

}  // namespace proxstream
