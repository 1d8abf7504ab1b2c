/// A run that adds numbers up: {"v": 3}. Small enough that everything around it can be seen.
#pragma once

#include "proxstream/core/error.hpp"

#include "serve/json_body.hpp"
#include "serve/served_run.hpp"
#include "store/run_store.hpp"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>

#include <unistd.h>

namespace proxstream {

class FakeRun final : public ServedRun {
  public:
    static constexpr int kRefused = 666;    // a loss that is not finite
    static constexpr int kBreaks = -66700;  // what a run must not do
    static constexpr int kAlarm = 668;

    FakeRun(Journal journal, double sum) : journal_(std::move(journal)), sum_(sum) {
        journal_.restore([this](StateArchive& state) { serialise(state); });
        while (journal_.replaying()) play(journal_.stored_input(journal_.played() + 1), {});
    }

    /// Settings: store, and window, which says how much every number counts.
    static std::unique_ptr<ServedRun> open(const SettingList& settings) {
        const auto setting = [&](const std::string& name, const std::string& otherwise) {
            for (const auto& [key, value] : settings)
                if (key == name) return value;
            return otherwise;
        };
        const std::string path = setting("store", "");
        JournalOptions options;
        options.durable.turns = 1;
        options.durable.synchronised = false;
        options.keep = Retention::parse(setting("keep", "all"));
        if (std::filesystem::exists(path)) return make(Journal::open(path, options), 0);
        return make(Journal::create(path, identity(setting("window", "1")), options), 0);
    }

    Journal& journal() override { return journal_; }
    const Journal& journal() const override { return journal_; }

    void check(std::string_view record) const override { value_of(record); }

    PlayedTurn play(std::string_view record, std::string_view key) override {
        const double value = value_of(record);
        if (value == kBreaks && !journal_.replaying()) throw std::logic_error("a bug");
        PlayedTurn turn;
        turn.turn = journal_.played() + 1;
        turn.status = value == kRefused ? "refused" : "solved";
        const double before = sum_;
        if (value != kRefused) sum_ += value * weight();
        turn.answer = Json{{"before", before}, {"status", turn.status}}.dump();
        turn.figures = {value, std::nan(""), 2};
        if (value == kAlarm)
            turn.alarms.push_back({.id = 1, .kind = "loud", .subject = "v", .text = "<too> loud"});
        for (const StoredAlarm& alarm : turn.alarms) journal_.alarm(alarm);
        RunHeader header;
        header.dimension = 1;
        if (journal_.played() == first_) journal_.open_account(0, header);
        RoundReport report;
        report.round = turn.turn - first_;
        journal_.row(0, report);
        journal_.input(record, key);
        journal_.decision(turn.answer);
        journal_.figures(turn.figures);
        journal_.end_turn([this](StateArchive& state) { serialise(state); });
        return turn;
    }

    std::string decision() const override { return Json{{"sum", sum_}}.dump(); }
    std::string predict(std::string_view rows) const override {
        const Json body = parse_body(rows);
        if (!body.contains("rows"))
            throw DataError({.source = "", .line = 0, .column = 0, .field = "rows"}, "missing", "a list");
        return Json{{"predictions", std::vector<double>(body["rows"].size(), sum_)}}.dump();
    }
    std::string certificate(bool& sound) const override {
        sound = true;
        return R"({"conclusion":"fine","claims":[]})";
    }
    std::string record_schema() const override {
        return R"({"type":"object","required":["v"],"properties":{"v":{"type":"number"}}})";
    }
    std::string picture() const override { return Json{{"sum", sum_}}.dump(); }

    std::unique_ptr<ServedRun> fork(const std::string& store, const SettingList& changes,
                                    std::string_view events) const override {
        if (events != "[]") throw ConfigError("events: none happen here");
        std::string window = journal_.identity().settings.front().second;
        for (const auto& [name, value] : changes) {
            if (name != "window") throw ConfigError(name + ": a fork may not change it");
            window = value;
        }
        RunIdentity its = identity(window);
        its.parent = {.id = journal_.identity().id, .store = journal_.path(), .turn = journal_.played()};
        auto made = std::make_unique<FakeRun>(Journal::create(store, std::move(its), {}), sum_);
        made->save();
        return made;
    }
    void reload(const SettingList& settings) override {
        for (const auto& [name, value] : settings)
            if (name == "window" && value != journal_.identity().settings.front().second)
                throw ConfigError("window: cannot change");
    }
    void save() override {
        const Journal::Serialise state = [this](StateArchive& archive) { serialise(archive); };
        journal_.commit(&state);
    }
    void close() override {
        journal_.finish([this](StateArchive& state) { serialise(state); },
                        R"({"conclusion":"fine","claims":[]})", "", false);
    }

  private:
    static std::unique_ptr<FakeRun> make(Journal journal, double sum) {
        return std::make_unique<FakeRun>(std::move(journal), sum);
    }
    static RunIdentity identity(const std::string& window) {
        RunIdentity identity;
        identity.kind = "learn";
        identity.title = "numbers";
        identity.settings = {{"window", window}};
        identity.channels = {"loss", "gap", "steps"};
        return identity;
    }
    static double value_of(std::string_view record) {
        const Json body = parse_body(record);
        if (!body.is_object() || body.size() != 1 || !body.contains("v") || !body["v"].is_number())
            throw DataError({.source = "record", .line = 0, .column = 0, .field = "v"}, "no number",
                            "a finite number");
        return body["v"];
    }
    double weight() const { return std::stod(journal_.identity().settings.front().second); }
    void serialise(StateArchive& state) { state.field("sum", sum_); }

    Journal journal_;
    Turn first_ = journal_.identity().parent.turn;
    double sum_;
};

/// A folder that goes with the test.
class TestFolder {
  public:
    TestFolder() {
        static std::atomic<int> count{0};
        path_ = (std::filesystem::temp_directory_path() /
                 ("proxstream-serve-" + std::to_string(::getpid()) + "-" + std::to_string(++count)))
                    .string();
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~TestFolder() { std::filesystem::remove_all(path_); }
    TestFolder(const TestFolder&) = delete;
    TestFolder& operator=(const TestFolder&) = delete;
    std::string operator/(const std::string& name) const { return path_ + "/" + name; }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

}  // namespace proxstream
