#include "game/game_table.hpp"

#include "core/find_row.hpp"
#include "game/built_in_games.hpp"

namespace proxstream {
namespace {

// name, usage, help, maker
constexpr GameRow kRows[] = {
    {"pennies", "pennies", "matching pennies, on simplices", make_pennies},
    {"rps", "rps", "rock, paper, scissors, on simplices", make_rps},
    {"bilinear", "bilinear[:n=5,players=2,set=box,zero-sum=yes,seed=1]",
     "random matrices; set is box, simplex, ball or a regulariser in parentheses", make_bilinear},
    {"quadratic", "quadratic[:n=5,players=3,set=box,curvature=-1,seed=1]",
     "random, with eigenvalues from `curvature` to 1: not convex below 0", make_quadratic},
    {"polynomial", "polynomial:(x1*x2 - x1^2),(-x1*x2)[,n=1,set=box,start=0.5/0]",
     "a cost a player, of the variables x1, x2, .. or x1[1], x1[2], ..", make_polynomial},
    {"forsaken", "forsaken", "two players, not convex, with a cycle that attracts gradient methods",
     make_forsaken},
    {"trio", "trio", "three players, on a simplex, in a box and with an L1 norm; not convex", make_trio},
    {"cournot",
     "cournot[:firms=3,products=1,demand=linear,a=2,b=1,substitution=0.3,cap=1,marginal=0.2,bend=0.5]",
     "firms that choose quantities, at costs that are not convex; demand linear, concave or convex",
     make_cournot},
    {"features", "features[:situations=12,inputs=2,hidden=4,set=(box:-3,3),seed=1]",
     "weights of a feature map against a distribution over situations; not convex", make_features},
    {"congestion", "congestion[:NETWORK,trips=FILE,carriers=3,shares=.5/.3/.2,paths=4,cost=bpr,scale=1]",
     "carriers that split demand over paths; NETWORK a file, a folder of TNTP files or builtin:ring",
     make_congestion},
    {"gan",
     "gan[:ring8|grid25,std=S,scale=1,hidden=64/64,activation=tanh,latent=2,samples=1048576,"
     "loss=nonsaturating|minimax,weights=free|box:B|l1:LAMBDA,seed=1]",
     "a generator against a discriminator, over a distribution of the plane; not convex", make_gan_game},
};

}  // namespace

std::span<const GameRow> games() {
    return kRows;
}

GameDefinition parse_game(std::string_view text) {
    const Spec spec = Spec::parse(text);
    GameDefinition game = find_row(kRows, "game", spec.name()).make(spec);
    spec.finish();
    return game;
}

}  // namespace proxstream
