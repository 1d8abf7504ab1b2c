#include "peers/eigen_rival.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

namespace proxstream::bench {
namespace {

using Vector = Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Rows = Eigen::Map<const RowMajor>;
using Values = Eigen::Map<const Vector>;

Rows matrix(const RivalRows& rows) {
    return {rows.values, static_cast<Eigen::Index>(rows.rows), static_cast<Eigen::Index>(rows.features)};
}
Values targets(const RivalRows& rows) {
    return {rows.targets, static_cast<Eigen::Index>(rows.rows)};
}

void squared_gradient(const RivalRows& rows, const double* x, double* margins, double* gradient) {
    const Rows a = matrix(rows);
    Eigen::Map<Vector> r(margins, a.rows());
    Eigen::Map<Vector> g(gradient, a.cols());
    r.noalias() = a * Values(x, a.cols());
    r = (r - targets(rows)) / rows.divisor;
    g.noalias() = a.transpose() * r;
}

void perceptron_gradient(const RivalRows& rows, std::size_t hidden, const double* x, double* gradient) {
    const Rows a = matrix(rows);
    const Eigen::Index n = a.cols(), h = static_cast<Eigen::Index>(hidden);
    const Eigen::Index second = h * n, third = second + h * h, biases = third + h;
    const Rows w1(x, h, n), w2(x + second, h, h), w3(x + third, 1, h);
    const Values b1(x + biases, h), b2(x + biases + h, h);
    const double b3 = x[biases + 2 * h];
    const RowMajor z1 = ((a * w1.transpose()).rowwise() + b1.transpose()).array().tanh();
    const RowMajor z2 = ((z1 * w2.transpose()).rowwise() + b2.transpose()).array().tanh();
    const Vector d3 = ((z2 * w3.transpose()).array() + b3 - targets(rows).array()) / rows.divisor;
    const RowMajor d2 = (d3 * w3).array() * (1 - z2.array().square());
    const RowMajor d1 = (d2 * w2).array() * (1 - z1.array().square());
    Eigen::Map<RowMajor>(gradient, h, n).noalias() = d1.transpose() * a;
    Eigen::Map<RowMajor>(gradient + second, h, h).noalias() = d2.transpose() * z1;
    Eigen::Map<RowMajor>(gradient + third, 1, h).noalias() = d3.transpose() * z2;
    Eigen::Map<Vector>(gradient + biases, h) = d1.colwise().sum().transpose();
    Eigen::Map<Vector>(gradient + biases + h, h) = d2.colwise().sum().transpose();
    gradient[biases + 2 * h] = d3.sum();
}

void project_onto_simplex(Vector& v, std::vector<double>& sorted) {
    sorted.assign(v.data(), v.data() + v.size());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double total = 0, level = 0;
    for (std::size_t k = 0; k < sorted.size(); ++k) {
        total += sorted[k];
        const double candidate = (total - 1) / static_cast<double>(k + 1);
        if (sorted[k] <= candidate) break;
        level = candidate;
    }
    v = (v.array() - level).max(0);
}

class RobustProblem {
  public:
    RobustProblem(const RivalRows& rows, const RivalTask& task)
        : a_(matrix(rows)), y_(targets(rows)), divisor_(rows.divisor), l1_(task.l1), r_(a_.rows()) {}

    /// One product: f, with the gaps kept for the gradient.
    double value(const Vector& x) {
        passes += 0.5;
        r_.noalias() = a_ * x;
        r_ -= y_;
        return (r_.array().square() / (1 + r_.array().square())).sum() / (2 * divisor_);
    }
    /// The other one, where value() was asked for last.
    void gradient(Vector& g) {
        passes += 0.5;
        r_ = r_.array() / (1 + r_.array().square()).square() / divisor_;
        g.noalias() = a_.transpose() * r_;
    }
    void prox(const Vector& x, const Vector& g, double step, Vector& out) {
        out = x - step * g;
        if (l1_ < 0) {
            project_onto_simplex(out, sorted_);
        } else {
            out = out.array().sign() * (out.array().abs() - step * l1_).max(0);
        }
    }
    double passes = 0;

  private:
    Rows a_;
    Values y_;
    double divisor_;
    double l1_;
    Vector r_;
    std::vector<double> sorted_;
};

RivalReport prox_gradient(const RivalRows& rows, const RivalTask& task, double* from) {
    RobustProblem problem(rows, task);
    Eigen::Map<Vector> start(from, static_cast<Eigen::Index>(rows.features));
    Vector x = start, g(x.size()), next(x.size()), difference(x.size()), other(x.size());
    double value = problem.value(x);
    problem.gradient(g);
    const auto gap = [&] {
        problem.prox(x, g, task.reference_step, next);
        return (x - next).norm() / task.reference_step;
    };
    double norm = gap();
    if (norm > task.tolerance) {
        // |grad f(x + h) - grad f(x)| / |h| for a small h says roughly how curved f is.
        difference = Vector::Constant(x.size(), 1e-6);
        problem.value(x + difference);
        problem.gradient(other);
        double smoothness = std::max((other - g).norm() / difference.norm(), 1e-10);
        while (norm > task.tolerance && problem.passes < static_cast<double>(task.most_passes)) {
            double trial = 0;
            for (;;) {
                problem.prox(x, g, 0.95 / smoothness, next);
                trial = problem.value(next);
                difference = next - x;
                const double bound = value + g.dot(difference) + smoothness / 2 * difference.squaredNorm();
                if (trial <= bound + 1e-14 * (1 + std::abs(value)) || smoothness > 1e12) break;
                smoothness *= 2;
            }
            x.swap(next);
            value = trial;
            problem.gradient(g);
            norm = gap();
        }
    }
    start = x;
    return {problem.passes, norm};
}

}  // namespace

// RIVAL is the name this copy goes by, eigen_plain or eigen_native.
const EigenRival& RIVAL() {
    static const EigenRival rival{RIVAL_FLAGS, squared_gradient, perceptron_gradient, prox_gradient};
    return rival;
}

}  // namespace proxstream::bench
