/// The settings that all verbs with runs share: threads, progress, and files of results.
#pragma once

#include "proxstream/core/parallel.hpp"

#include "core/option_table.hpp"

#include <array>
#include <string>
#include <string_view>

namespace proxstream {

struct RunSettings {
    Index threads = 1;   // 0: one per core
    Index progress = 0;  // rounds between two lines; 0: at 1, 2, 4, 8, ...
    bool quiet = false;
};

struct ResultSettings {
    std::string save;
    std::string certificate_json;
};

template <class S>
OptionRow<S> threads_option(std::string_view group) {
    return {"threads",
            "",
            group,
            "N",
            "use N threads; results do not depend on it (0: one per core)",
            &S::threads,
            0,
            static_cast<Real>(kMostThreads)};
}

template <class S>
auto run_options() {
    using Row = OptionRow<S>;
    return std::array{
        threads_option<S>("Run"),
        Row{"progress", "P", "Output", "N",
            "print a line every N rounds, for fit N passes (0: at 1, 2, 4, 8, ...)", &S::progress, 0, 1e9},
        Row{"quiet", "q", "Output", "BOOL", "print errors only", &S::quiet},
    };
}

/// `save` and `certificate`: help lines of these options.
template <class S>
auto result_options(std::string_view save, std::string_view certificate = "write the certificate as JSON") {
    using Row = OptionRow<S>;
    return std::array{
        Row{"save", "f", "Output", "FILE", save, &S::save},
        Row{"certificate", "", "Output", "FILE", certificate, &S::certificate_json},
    };
}

}  // namespace proxstream
