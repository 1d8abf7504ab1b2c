#include "game/congestion_game.hpp"

#include "proxstream/core/error.hpp"

#include "cost_check.hpp"
#include "game/game_table.hpp"
#include "run/temporary_folder.hpp"
#include "traffic/split_set.hpp"

#include <cstdlib>
#include <filesystem>

namespace proxstream::test {
namespace {

/// Written down path by path: loads of all carriers, then what the links take of one of them.
NaiveCost formula_of(const CongestionGround& ground) {
    return [&ground](Index carrier, const Vector& joint) {
        const Routing& routing = *ground.routing;
        const Index n = routing.paths.slots();
        Vector own(ground.network.links(), 0), all(ground.network.links(), 0);
        for (Index i = 0; i < ground.shares.size(); ++i) {
            for (Index pair = 0; pair < routing.paths.pairs(); ++pair) {
                for (SlotIndex slot = routing.paths.first_slot(pair); slot < routing.paths.end_slot(pair);
                     ++slot) {
                    const Real flow = ground.shares[i] * ground.demand[pair] * joint[i * n + slot];
                    for (const LinkIndex link : routing.paths.links(slot)) {
                        all[link] += flow;
                        if (i == carrier) own[link] += flow;
                    }
                }
            }
        }
        Real paid = 0;
        for (LinkIndex link = 0; link < own.size(); ++link)
            paid += own[link] * routing.costs.time(link, all[link]).time;
        return paid / routing.unit;
    };
}

/// Two routes from a to d of different kinds, and c to d along one of them.
const char* const kLinks =
    "from,to,capacity,free_time,b,power\n"
    "a,b,10,1,0.5,4\na,c,8,1.5,1,1\nb,d,9,1,0.3,2\nc,d,7,1,0.2,1.5\nb,c,5,0.2,1,3\n";
const char* const kTrips = "origin,destination,demand\na,d,12\nc,d,4\na,c,3\n";

class Congestion : public testing::Test {
  protected:
    void SetUp() override {
        links_ = write("links.csv", kLinks);
        trips_ = write("trips.csv", kTrips);
    }

    std::string write(const std::string& name, const std::string& text) const {
        return folder_.file(name, text);
    }
    CongestionOptions small() const {
        CongestionOptions options;
        options.network = links_;
        options.trips = trips_;
        options.shares = {0.5, 0.3, 0.2};
        return options;
    }
    TemporaryFolder folder_;
    std::string links_, trips_;
};

TEST_F(Congestion, CostMatchesTheSumOverPaths) {
    for (const char* cost :
         {"bpr", "bpr:b=1,power=1.5", "davidson", "queue", "s-shape", "polynomial:1,0.5,0.2"}) {
        SCOPED_TRACE(cost);
        CongestionOptions options = small();
        options.cost = cost;
        const auto ground = std::make_shared<const CongestionGround>(make_congestion_ground(options));
        const GameDefinition game = make_congestion_game("small", ground);
        for (std::uint64_t seed = 1; seed <= 3; ++seed) expect_costs(game, formula_of(*ground), seed);
        EXPECT_EQ(game.players[0].cost->convex(), std::string(cost) != "s-shape");
    }
}

TEST_F(Congestion, UnitIsTheFreeFlowTimeOfAllDemand) {
    const CongestionGround ground = make_congestion_ground(small());
    // a-b-d 2 of 12, c-d 1 of 4, a-b-c 1.2 of 3.
    EXPECT_NEAR(ground.routing->unit, 12 * 2 + 4 * 1 + 3 * 1.2, 1e-12);
    EXPECT_EQ(ground.demand, (Vector{3, 12, 4}));
    // Pairs without demand are not missed, not even where no path leads.
    CongestionOptions more = small();
    more.trips = write("more.csv", std::string(kTrips) + "d,a,0\n");
    EXPECT_EQ(make_congestion_ground(more).demand.size(), 3u);
    CongestionOptions twice = small();
    twice.scale = 2;
    EXPECT_EQ(make_congestion_ground(twice).demand, (Vector{6, 24, 8}));
}

TEST_F(Congestion, RecordIsTheLoadOfRivals) {
    const auto ground = std::make_shared<const CongestionGround>(make_congestion_ground(small()));
    const GameDefinition game = make_congestion_game("small", ground);
    const PlayerCost& cost = *game.players[1].cost;
    const Vector joint = random_play(game, 3);
    Vector record(cost.record_size()), others(record.size(), 0);
    Scratch scratch;
    cost.condense(joint, record, scratch);
    for (const Index i : {0, 2}) {
        const Vector splits = block_of(game, i, joint);
        for (SlotIndex slot = 0; slot < splits.size(); ++slot) {
            for (const LinkIndex link : ground->routing->paths.links(slot))
                others[link] +=
                    ground->shares[i] * ground->demand[ground->routing->paths.pair_of(slot)] * splits[slot];
        }
    }
    for (Index link = 0; link < record.size(); ++link) EXPECT_NEAR(record[link], others[link], 1e-12);
}

TEST_F(Congestion, ReadsTextsFoldersAndCities) {
    const GameDefinition game =
        parse_game("congestion:" + links_ + ",trips=" + trips_ + ",shares=.5/.5,paths=2");
    EXPECT_EQ(game.players.size(), 2u);
    const GameDefinition city =
        parse_game("congestion:(builtin:grid:rows=3,columns=3,zones=4),cost=(s-shape:b=2,width=0.2)");
    EXPECT_EQ(city.players.size(), 3u);
    EXPECT_FALSE(city.players[0].cost->convex());
    EXPECT_GT(start_gap(city), 1e-4);
    EXPECT_THROW(parse_game("congestion:" + folder_.path("")), ConfigError);  // no TNTP files there
}

TEST_F(Congestion, RefusesBadArguments) {
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        try {
            parse_game("congestion:" + links_ + "," + arguments);
            ADD_FAILURE() << "accepted: " << arguments;
        } catch (const ConfigError& error) {
            EXPECT_NE(std::string(error.what()).find(why), std::string::npos) << error.what();
        }
    };
    const std::string trips = "trips=" + trips_;
    refused("carriers=3", "holds no demand");
    refused(trips + ",carriers=1", "between 2 and 1000");
    refused(trips + ",shares=.5/.6", "sum to 1.1");
    refused(trips + ",shares=1.5/-.5", "not positive");
    refused(trips + ",shares=.5/.5,carriers=3", "2 shares for 3 carriers");
    refused(trips + ",scale=0", "scale");
    refused(trips + ",paths=5000", "paths = 5000");
    refused(trips + ",cost=bpx", "unknown link cost");
    refused(trips + ",carrier=2", "did you mean 'carriers='");
    refused("trips=" + write("back.csv", "origin,destination,demand\nd,a,1\n"), "no path leads from d to a");
    refused("trips=" + write("none.csv", "origin,destination,demand\na,d,0\n"), "there is no demand");
    EXPECT_THROW(parse_game("congestion:" + folder_.path("missing.csv")), IoError);
}

TEST_F(Congestion, SiouxFalls) {
    const char* given = std::getenv("PROXSTREAM_DATA");
    const std::filesystem::path data = given != nullptr ? given : "../shared/data";
    const std::filesystem::path folder = data / "tntp" / "SiouxFalls";
    if (!std::filesystem::exists(folder))
        GTEST_SKIP() << "no real data: " << folder << " is not there (PROXSTREAM_DATA)";
    CongestionOptions options;
    options.network = folder.string();
    const auto ground = std::make_shared<const CongestionGround>(make_congestion_ground(options));
    EXPECT_EQ(ground->network.links(), 76u);
    EXPECT_EQ(ground->demand.size(), 528u);
    const GameDefinition game = make_congestion_game("small", ground);
    expect_costs(game, formula_of(*ground), 1, 5);
    EXPECT_GT(start_gap(game), 1e-4);
}

}  // namespace
}  // namespace proxstream::test
