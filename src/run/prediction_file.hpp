/// The format of prediction files: CSV with a header, and a line for each row.
///
///     row,label,prediction                a number
///     row,label,prediction,p(yes)         two classes: the probability of the positive class,
///     row,label,prediction,score          or the score if the loss gives no probabilities
///     row,label,prediction,p(a),p(b),..   several classes; without probabilities the class alone
#pragma once

#include "proxstream/core/types.hpp"
#include "proxstream/loss/target_kind.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

struct Prediction {
    Real value = 0;                // a number in the units of the label, a score, or a class
    Real label = 0;                // in the units of the data; of two classes -1 or +1
    ConstView probabilities = {};  // of all classes, in their order
};

struct PredictionFormat {
    TargetKind kind = TargetKind::number;
    std::vector<std::string> classes = {};  // class names, for signs: negative, positive; empty: numbers
    Index class_count = 0;                  // of categories
    bool probabilities = false;             // the loss gives probabilities
    bool labels = true;                     // rows have labels
    std::string id = "row";                 // the name of the first column
    Real negative = -1;  // the data's number for the negative class without a name: -1 or 0

    /// The first line.
    std::string header() const;
    /// The line of the row `id`. Numbers that are not finite become empty fields.
    void append(std::string& to, std::string_view row, const Prediction& prediction) const;

  private:
    void append_label(std::string& to, Real label) const;
};

}  // namespace proxstream
