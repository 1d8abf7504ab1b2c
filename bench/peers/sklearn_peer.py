"""scikit-learn on the bench's data: one task a call, one line of JSON.

  sklearn_peer.py version
  sklearn_peer.py TASK FILE ROWS FEATURES [L1 TARGET FIRST]   FILE: rows of doubles, features then target

TASK is lasso, liblinear or saga: fits with tighter and tighter tolerances, from 10^-FIRST on, until the objective is
no more than TARGET, and tells the seconds and the tolerance of the one that was enough, or of the last. Or sgd-rows, sgd-batches: partial_fit over the rows in
order, one at a time or a thousand; tells the mean squared error on the last tenth, learned from like the others.
"""

import json
import sys
import time
import warnings

import numpy
import sklearn
from sklearn.linear_model import Lasso, LogisticRegression, SGDRegressor


def objective(task, rows, targets, weights, l1):
    scores = rows @ weights
    if task == "lasso":
        return 0.5 * numpy.mean((scores - targets) ** 2) + l1 * numpy.abs(weights).sum()
    return numpy.mean(numpy.logaddexp(0, -targets * scores)) + l1 * numpy.abs(weights).sum()


def fit(task, rows, targets, l1, target, first):
    seconds = value = 0
    for exponent in range(first, 13):
        tolerance = 10.0**-exponent
        if task == "lasso":
            model = Lasso(alpha=l1, fit_intercept=False, tol=tolerance, max_iter=100000)
        else:
            model = LogisticRegression(penalty="l1", C=1 / (l1 * len(targets)), fit_intercept=False, tol=tolerance,
                                       solver=task, max_iter=1000, random_state=1)
        begin = time.perf_counter()
        model.fit(rows, targets)
        seconds = time.perf_counter() - begin
        value = objective(task, rows, targets, model.coef_.ravel(), l1)
        if value <= target or numpy.max(model.n_iter_) >= model.max_iter:
            break
    return {"seconds": seconds, "objective": value, "exponent": exponent}


def stream(rows, targets, batch):
    model = SGDRegressor(penalty=None, fit_intercept=True)
    begin = time.perf_counter()
    for first in range(0, len(targets), batch):
        model.partial_fit(rows[first:first + batch], targets[first:first + batch])
    seconds = time.perf_counter() - begin
    last = len(targets) - len(targets) // 10
    error = numpy.mean((model.predict(rows[last:]) - targets[last:]) ** 2)
    return {"seconds": seconds, "objective": error}


def main(arguments):
    warnings.simplefilter("ignore")
    if arguments[0] == "version":
        return {"version": sklearn.__version__}
    task, path, count, features = arguments[0], arguments[1], int(arguments[2]), int(arguments[3])
    data = numpy.fromfile(path).reshape(count, features + 1)
    rows, targets = numpy.ascontiguousarray(data[:, :-1]), data[:, -1].copy()
    if task.startswith("sgd"):
        return stream(rows, targets, 1 if task == "sgd-rows" else 1000)
    return fit(task, rows, targets, float(arguments[4]), float(arguments[5]), int(arguments[6]))


print(json.dumps(main(sys.argv[1:])))
