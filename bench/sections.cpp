#include "sections.hpp"

namespace proxstream::bench {

const std::vector<Section>& sections() {
    static const std::vector<Section> table{
        {"limits", "What the machine can do at best; other rows run these beside themselves.", limit_rows},
        {"kernels", "Window gradients and vector kernels against those limits and against Eigen.",
         kernel_rows},
        {"prox", "Proximal maps.", prox_rows},
        {"inner", "Inner solvers on warm-started windows of robust regression, at the same exit test.",
         inner_rows},
        {"fit", "Whole data sets: robust regression, 2000 x 500.", fit_rows},
        {"learn", "Rows a second, from a file to its certificate.", learn_rows},
        {"front", "What OnlineLearner adds to a round.", front_rows},
        {"parser", "Text to rows.", parser_rows},
        {"traffic", "Routing on road networks: windows, periods, assignments, paths.", traffic_rows},
        {"cost", "How cost grows: exponents of fitted power laws, no ratios.", cost_rows},
        {"store", "Stored runs.", store_rows},
        {"ensemble", "Ensembles of windows.", ensemble_rows},
        {"game", "Games.", game_rows},
        {"peers", "Solvers of other libraries, to the same objective on the same data.", peer_rows},
    };
    return table;
}

}  // namespace proxstream::bench
