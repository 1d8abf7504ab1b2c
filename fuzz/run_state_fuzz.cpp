/// States of whole runs, as a store keeps them, changed and sealed again. A state that can be read is that of
/// a run, which is written, read and written with the same bytes, and continues. The first byte chooses the
/// kind of run. Every four bytes after it change its state: three for the place, one for the change.
#include "fit/fit_job.hpp"
#include "fuzz_support.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"
#include "route/route_run.hpp"
#include "run/fed_reader.hpp"
#include "run/learn_run.hpp"
#include "state_seals.hpp"
#include "traffic/demand_reader.hpp"

#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <memory>

using namespace proxstream;

namespace {

struct Run {
    std::unique_ptr<TurnRun> run;
    std::function<void(std::uint64_t turn)> feed = [](std::uint64_t) {};
};

Run learn(const char* learner, const char* window) {
    LearnSettings settings;
    settings.learner = learner;
    settings.loss = "squared";
    settings.reg = "l1:0.01";
    settings.window = window;
    settings.step = "0.1";
    auto rows = std::make_unique<FedReader>("f", FedReader::Shape{.features = 2});
    FedReader& reader = *rows;
    return {std::make_unique<LearnRun>(settings, std::move(rows)), [&reader](std::uint64_t turn) {
                RowBlock row;
                const auto x = static_cast<Real>(turn % 7);
                row.add_dense(std::array<Real, 2>{x - 3, 1}, x / 2);
                reader.feed(row);
            }};
}

Run route() {
    RouteSettings settings;
    settings.network = "builtin:ring:rings=1,spokes=4,zones=3";
    settings.window = "2";
    settings.paths = 2;
    settings.compare = settings.clairvoyant = false;
    settings.on_bad_period = "hold";
    FedDemand* feed = nullptr;
    Scenario scenario = open_fed_scenario(settings, feed);
    auto run = std::make_unique<RouteRun>(settings, std::move(scenario), RunOrigin{"f", "f"});
    const Network& network = *run->scenario().network;
    const Pair pair = run->scenario().stream->pairs().front();
    const std::string name = network.node_name(pair.origin) + "->" + network.node_name(pair.destination);
    return {std::move(run), [feed, name](std::uint64_t turn) {
                feed->feed("{\"demand\":{\"" + name + "\":" + std::to_string(1 + turn % 3) + "}}", turn);
            }};
}

Run play() {
    PlaySettings settings;
    settings.game = "rps";
    settings.rounds = 6;
    settings.window = "2";
    return {std::make_unique<PlayJob>(settings, open_game(settings))};
}

Run fit(const char* method) {
    FitSettings settings;
    settings.data = {"builtin:drift,features=2,rows=12"};
    settings.method = method;
    settings.reg = "l1:0.01";
    settings.passes = 8;
    settings.measure = 1;
    return {std::make_unique<FitJob>(settings)};
}

Run make(std::uint8_t choice) {
    switch (choice % 8) {
        case 0:
            return learn("time-smoothed", "auto");
        case 1:
            return learn("ensemble:windows=1/3,also=adagrad", "auto");
        case 2:
            return learn("time-smoothed", "3");
        case 3:
            return route();
        case 4:
            return play();
        case 5:
            return fit("panoc");
        case 6:
            return fit("prox-svrg:batch=2");
        default:
            return fit("spiderboost");
    }
}

std::string state_of(TurnRun& run) {
    StateArchive archive;
    run.serialise(archive);
    return archive.seal();
}

/// Plays turns from a number on.
void play_turns(Run& run, std::uint64_t first, std::uint64_t count) {
    for (std::uint64_t turn = first; turn < first + count; ++turn) {
        run.feed(turn);
        if (!run.run->next()) return;
        const TurnResult result = run.run->play();
        if (result.complete) run.run->record();
        if (result.last) return;
    }
}

/// The content of the state of a run of a few turns.
const std::string& content_of(std::uint8_t choice) {
    static std::array<std::string, 8> contents;
    std::string& content = contents[choice % contents.size()];
    if (content.empty()) {
        Run run = make(choice);
        run.run->begin(false);
        play_turns(run, 1, 4);
        content = fuzz::content_of_state(state_of(*run.run));
    }
    return content;
}

std::string changed(std::string content, fuzz::Choices& choices) {
    constexpr std::array<std::uint64_t, 8> kWords{0,
                                                  1,
                                                  2,
                                                  ~std::uint64_t{0},
                                                  std::uint64_t{1} << 63U,
                                                  std::bit_cast<std::uint64_t>(kInfinity),
                                                  std::bit_cast<std::uint64_t>(-kInfinity),
                                                  std::bit_cast<std::uint64_t>(1e308)};
    while (!choices.rest().empty() && !content.empty()) {
        const std::size_t high = choices.byte();
        const std::size_t middle = choices.byte();
        const std::size_t at = (high << 16U | middle << 8U | choices.byte()) % content.size();
        const std::uint8_t change = choices.byte();
        if (change == kWords.size()) {
            content.resize(at);
        } else if (change > kWords.size()) {
            content[at] = static_cast<char>(content[at] ^ change);
        } else if (at + sizeof kWords[change] <= content.size()) {
            std::memcpy(content.data() + at, &kWords[change], sizeof kWords[change]);
        }
    }
    return content;
}

void read(std::uint8_t choice, const std::string& bytes) {
    Run run = make(choice);
    try {
        StateArchive archive(bytes, "f");
        run.run->serialise(archive);
        archive.finish();
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
        return;
    }
    const std::string again = state_of(*run.run);
    Run copy = make(choice);
    StateArchive archive(again, "again");
    copy.run->serialise(archive);
    archive.finish();
    fuzz::require(state_of(*copy.run) == again);
    try {
        run.run->begin(true);
        play_turns(run, 5, 3);
        run.run->certify(RunEnding::interrupted);
    } catch (const Error& error) {
        fuzz::require(!std::string_view(error.what()).empty());
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    read(choice, fuzz::sealed_state(changed(content_of(choice), choices)));
    return 0;
}
