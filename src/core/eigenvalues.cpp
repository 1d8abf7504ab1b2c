#include "core/eigenvalues.hpp"

#include <Eigen/Eigenvalues>
#include <cassert>

namespace proxstream {
namespace {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>;

std::vector<Real> values_of(const Solver& solver) {
    return {solver.eigenvalues().begin(), solver.eigenvalues().end()};
}

}  // namespace

std::vector<Real> symmetric_eigenvalues(ConstView matrix, Index n) {
    assert(matrix.size() == n * n);
    using RowMajor = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    const auto size = static_cast<Eigen::Index>(n);
    const Solver solver(Eigen::Map<const RowMajor>(matrix.data(), size, size), Eigen::EigenvaluesOnly);
    if (solver.info() != Eigen::Success) return {};
    return values_of(solver);
}

std::vector<Real> tridiagonal_eigenvalues(ConstView diagonal, ConstView beside) {
    assert(diagonal.size() <= beside.size() + 1);
    const auto size = static_cast<Eigen::Index>(diagonal.size());
    Solver solver;
    solver.computeFromTridiagonal(Eigen::Map<const Eigen::VectorXd>(diagonal.data(), size),
                                  Eigen::Map<const Eigen::VectorXd>(beside.data(), size - 1),
                                  Eigen::EigenvaluesOnly);
    return values_of(solver);
}

}  // namespace proxstream
