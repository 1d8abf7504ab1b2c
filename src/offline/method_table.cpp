#include "offline/method_table.hpp"

#include "proxstream/core/error.hpp"

#include "core/find_row.hpp"
#include "offline/method_rows.hpp"

#include <array>
#include <string>
#include <vector>

namespace proxstream {
namespace {

// Name, usage, source, help, stochastic, random index, maker.
constexpr auto kSampledRows = std::to_array<OfflineMethodRow>({
    {"prox-sgd", "prox-sgd:batch=100,step=0.1,schedule=epoch,decay=0.5",
     "Ghadimi, Lan, Zhang 2016: eta = 1/(2L)",
     "steps along the mean gradient of a batch; sigma0= says how much samples differ", true, true,
     make_prox_sgd},
    {"prox-svrg", "prox-svrg:anchor=10000,batch=464,epoch=22,step=0.1",
     "Reddi, Sra, Poczos, Smola 2016: b = n^(2/3), m = n^(1/3), eta = 1/(3L)",
     "estimates corrected by the gradient at an anchor, which moves up every epoch", true, true,
     make_prox_svrg},
    {"prox-svrg+", "prox-svrg+:anchor=10000,batch=464,epoch=22,step=0.1",
     "Li, Li 2018: b = B^(2/3), m = sqrt b, eta = 1/(6L)",
     "prox-svrg whose anchors may be batches, with parameters of its own", true, true, make_prox_svrg_plus},
    {"spiderboost", "spiderboost:anchor=10000,batch=100,epoch=100,step=0.1",
     "Wang, Ji, Zhou, Liang, Tarokh 2019: b = q = sqrt n, eta = 1/(2 Lb)",
     "a large batch every epoch, corrected in between by differences of gradients of the same "
     "samples at two points",
     true, true, make_spiderboost},
    {"sarah", "sarah:anchor=10000,batch=100,epoch=101,step=0.1,gamma=0.8",
     "Pham, Nguyen, Phan, Tran-Dinh 2020 (ProxSARAH), Theorem 8, made free of scale",
     "as spiderboost, with batches without repetition and a step of which only the share gamma "
     "is gone",
     true, true, make_sarah},
    {"sarah-adaptive", "sarah-adaptive:anchor=10000,batch=100,epoch=101,step=0.1,gamma=0.99",
     "Pham, Nguyen, Phan, Tran-Dinh 2020, adaptive ProxSARAH as in their code",
     "sarah with shares that grow over an epoch, the last one gamma", true, true, make_sarah_adaptive},
    {"storm", "storm:batch=64,first=64,step=0.1,beta=0.1",
     "Xu, Xu 2023 (PStorm), after Cutkosky, Orabona 2019: eta_k = (4/(k+4))^(1/3)/(8 Lb)",
     "no large batches: the estimate forgets the share beta of its errors in every step", true, true,
     make_storm},
    {"hybrid", "hybrid:anchor=10000,batch=100,epoch=100,beta=0.99,gamma=0.8,step=0.1",
     "Tran-Dinh, Pham, Phan, Nguyen 2022 (hybrid SARAH-SGD): beta = 1 - sqrt(b/(B (m+1)))",
     "sarah's estimate mixed with a fresh batch's gradient", true, true, make_hybrid},
    {"adam", "adam:step=0.001,beta1=0.9,beta2=0.999,floor=1e-8,batch=128,metric=common,schedule=sqrt",
     "Kingma, Ba 2015",
     "gradients averaged and scaled by what they were of late: all by one number, as g is "
     "(metric=coordinates: each by its own, which bends where F is stationary)",
     true, false, make_prox_adam},
    {"reduction", "reduction:parameters=corrected,w=100,T=1,delta=4,sigma=1,samples=100,answers=independent",
     "Hallak, Mertikopoulos, Cevher 2021, Corollary 1, as stated or corrected",
     "the time-smoothed online method on one loss: w answers an estimate, a test of delta/w", true, true,
     make_reduction},
});

}  // namespace

std::span<const OfflineMethodRow> offline_methods() {
    static const std::vector<OfflineMethodRow> rows = [] {
        std::vector<OfflineMethodRow> all(exact_method_rows().begin(), exact_method_rows().end());
        all.insert(all.end(), kSampledRows.begin(), kSampledRows.end());
        return all;
    }();
    return rows;
}

const OfflineMethodRow& method_row(std::string_view text) {
    return find_row(offline_methods(), "method", Spec::parse(text).name());
}

std::unique_ptr<OfflineMethod> make_method(std::string_view text, const MethodParts& parts) {
    const Spec spec = Spec::parse(text);
    const OfflineMethodRow& row = find_row(offline_methods(), "method", spec.name());
    if (!row.stochastic && !parts.problem.loss->knows_f()) {
        throw ConfigError("method = '" + spec.text() +
                          "': it needs the exact gradient, which an expectation does not have; take a "
                          "stochastic method such as spiderboost");
    }
    auto method = row.make(spec, parts);
    spec.finish();
    return method;
}

}  // namespace proxstream
