/// Bodies of posts through the whole API, to a run that adds numbers up or to a learner of rows or of splits.
/// Every request gets one answer, which is JSON; what is refused changes nothing. The first byte chooses the
/// route.
#include "../tests/serve/api_fixture.hpp"
#include "fuzz_support.hpp"

using namespace proxstream;

namespace {

constexpr const char* kReal =
    "[learner.rows]\nkind = \"learn\"\ndimension = 2\nstep = 0.05\nwindow = 3\ndurable = \"off\"\n"
    "[learner.roads]\nkind = \"route\"\nnetwork = \"builtin:ring:rings=1,spokes=4,zones=3\"\nwindow = "
    "2\npaths = 2\n"
    "threads = 1\ndurable = \"off\"\n";

/// A service that begins anew now and then, so that its stores stay small.
class Service {
  public:
    // At once: what OpenSSL cleans up at the end of the program has to outlive it.
    explicit Service(bool real) : real_(real) { begin(); }
    ApiFixture& get() {
        if (++uses_ % 20000 == 0) begin();
        return *api_;
    }
    void begin() {
        LearnerQueueOptions options;
        options.durable.turns = 1000000;  // the disk is not what is tested
        options.commit_seconds = 1e9;
        api_.reset();
        api_ = real_ ? std::make_unique<ApiFixture>(ApiFixture::Scenario{kReal})
                     : std::make_unique<ApiFixture>(std::vector<std::string>{"main"}, options);
    }

  private:
    bool real_;
    std::unique_ptr<ApiFixture> api_;
    int uses_ = 0;
};

HttpResponse ask(ApiFixture& api, HttpRequest request) {
    const auto reply = std::make_shared<FakeReply>();
    auto answer = reply->answer();
    api.api.handle(std::move(request), reply);
    return answer.get();
}

/// Forks are rare: a store each takes its time.
std::string target(const std::string& learner, std::uint8_t choice) {
    const unsigned one = choice % 64;
    return "/v1/learners/" + learner + (one == 63 ? "/fork" : one >= 56 ? "/predict" : "/rounds");
}

Turn turn_of(ApiFixture& api, const std::string& learner) {
    return api.registry.find(learner)->snapshot()->state.turn;
}

}  // namespace

/// Memory goes from one thread to another here, which libFuzzer takes for a leak and looks for after every
/// input. The tests of the API are watched for leaks when they end.
extern "C" const char* __asan_default_options() {  // NOLINT: the sanitizer's name
    return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    const bool real = (choice & 64U) != 0;
    const std::string learner = !real ? "main" : choices.byte() % 2 == 0 ? "rows" : "roads";
    static Service numbers(false);
    static Service learners(true);
    Service& service = real ? learners : numbers;
    ApiFixture& api = service.get();
    HttpRequest request = ApiFixture::request("POST", target(learner, choice), std::string(choices.rest()));
    request.headers["content-type"] = "application/json";
    if (choice >= 128) request.query["decide"] = "true";
    const Turn before = turn_of(api, learner);
    const HttpResponse response = ask(api, std::move(request));
    fuzz::require(response.type == "application/json");
    const Json body = Json::parse(response.body, nullptr, false);
    fuzz::require(body.is_object());
    fuzz::require(body.contains("error") == (response.status >= 400));
    if (response.status >= 400) fuzz::require(body["error"]["status"] == response.status);
    if (response.status == 500) {
        service.begin();  // the run failed on purpose and must not be used again
        return 0;
    }
    if (response.status >= 400) fuzz::require(turn_of(api, learner) == before);
    for (const auto& fork : api.registry.all())
        if (!fork->parent().empty()) ask(api, ApiFixture::request("DELETE", "/v1/learners/" + fork->name()));
    return 0;
}
