#include "offline/method_rows.hpp"
#include "offline/stochastic_methods.hpp"

#include <array>

namespace proxstream {

std::span<const MethodRow> stochastic_method_rows() {
    static constexpr std::array kRows = {
        MethodRow{"prox-sgd", "prox-sgd:batch=100,step=0.1,schedule=epoch,decay=0.5",
                  "Ghadimi, Lan, Zhang 2016: eta = 1/(2L)",
                  "steps along the mean gradient of a batch; sigma0= says how much samples differ", true,
                  true, make_prox_sgd},
        MethodRow{"spiderboost", "spiderboost:anchor=10000,batch=100,epoch=100,step=0.1",
                  "Wang, Ji, Zhou, Liang, Tarokh 2019: b = q = sqrt n, eta = 1/(2 Lb)",
                  "a large batch every epoch, corrected in between by differences of gradients of the same "
                  "samples at two points",
                  true, true, make_spiderboost},
        MethodRow{"sarah", "sarah:anchor=10000,batch=100,epoch=101,step=0.1,gamma=0.8",
                  "Pham, Nguyen, Phan, Tran-Dinh 2020 (ProxSARAH), Theorem 8, made free of scale",
                  "as spiderboost, with batches without repetition and a step of which only the share gamma "
                  "is gone",
                  true, true, make_sarah},
        MethodRow{"sarah-adaptive", "sarah-adaptive:anchor=10000,batch=100,epoch=101,step=0.1,gamma=0.99",
                  "Pham, Nguyen, Phan, Tran-Dinh 2020, adaptive ProxSARAH as in their code",
                  "sarah with shares that grow over an epoch, the last one gamma", true, true,
                  make_sarah_adaptive},
    };
    return kRows;
}

}  // namespace proxstream
