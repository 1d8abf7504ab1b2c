/// Heads of requests to the API: method, target, Host, Origin and other headers. Without tokens, only names
/// of this machine are answered, and no page of another site. The first byte chooses whether tokens are
/// needed; lines are METHOD TARGET, then NAME: VALUE, then an empty line and the body.
#include "../tests/serve/api_fixture.hpp"
#include "fuzz_support.hpp"

using namespace proxstream;

namespace {

std::string_view take_line(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

HttpRequest request_of(std::string_view text) {
    const std::string_view line = take_line(text);
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string target(line.substr(std::min(blank + 1, line.size())));
    HttpRequest request = ApiFixture::request(std::string(line.substr(0, blank)), target);
    for (std::string_view header = take_line(text); !header.empty(); header = take_line(text)) {
        const std::size_t colon = std::min(header.find(": "), header.size());
        request.headers[std::string(header.substr(0, colon))] =
            header.substr(std::min(colon + 2, header.size()));
    }
    request.body = text;
    return request;
}

/// A name that only this machine can have: a browser looks up any other one.
bool is_local(std::string_view authority) {
    if (authority.starts_with("[::1]")) return true;
    const std::string_view host = authority.substr(0, authority.find(':'));
    return host == "localhost" ||
           (host.starts_with("127.") && host.find_first_not_of("0123456789.") == host.npos);
}

Turn turn_of(ApiFixture& api) {
    const auto main = api.registry.find("main");
    return main ? main->snapshot()->state.turn : 0;
}

void check_answer(const HttpRequest& request, const HttpResponse& response, bool with_tokens) {
    const auto header = [&](const char* name) {
        const auto found = request.headers.find(name);
        return found == request.headers.end() ? std::string() : found->second;
    };
    fuzz::require(response.status >= 200 && response.status < 600 && response.status != 500);
    if (response.type == "application/json") {
        const Json body = Json::parse(response.body, nullptr, false);
        fuzz::require(!body.is_discarded());
        if (response.status >= 400) fuzz::require(body["error"]["status"] == response.status);
    }
    if (response.status >= 400 || request.path == "/health") return;
    if (with_tokens) {
        fuzz::require(header("authorization") == "Bearer 0123456789abcdef");
        return;
    }
    const std::string host = header("host");
    const std::string origin = header("origin");
    fuzz::require(host.empty() || is_local(host));
    fuzz::require(origin.empty() || origin.ends_with("://" + host));
}

std::unique_ptr<ApiFixture> make_api() {
    LearnerQueueOptions options;
    options.durable.turns = 1000000;  // the disk is not what is tested
    options.commit_seconds = 1e9;
    return std::make_unique<ApiFixture>(std::vector<std::string>{"main"}, options);
}

/// A service with one learner, which begins anew now and then, so that its store stays small.
struct Service {
    Service() {
        const std::string file = fixture->folder / "tokens";
        std::ofstream(file) << "0123456789abcdef\n";
        std::filesystem::permissions(file, std::filesystem::perms::owner_read);
        tokens.reload(file);
    }
    std::unique_ptr<ApiFixture> fixture = make_api();
    Tokens tokens;
    Api guarded{{.registry = fixture->registry, .tokens = tokens, .version = "1.2.3"}};
};

}  // namespace

/// Memory goes from one thread to another here, which libFuzzer takes for a leak and looks for after every
/// input. The tests of the API are watched for leaks when they end.
extern "C" const char* __asan_default_options() {  // NOLINT: the sanitizer's name
    return "detect_leaks=0";
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static auto service = std::make_unique<Service>();
    static int uses = 0;
    fuzz::Choices choices(data, size);
    const bool with_tokens = choices.byte() % 4 == 0;
    if (++uses % 5000 == 0 || !service->fixture->registry.find("main")) service = std::make_unique<Service>();
    ApiFixture& api = *service->fixture;
    const HttpRequest request = request_of(choices.rest());
    const auto reply = std::make_shared<FakeReply>();
    auto answer = reply->answer();
    const Turn before = turn_of(api);
    (with_tokens ? service->guarded : api.api).handle(request, reply);
    const HttpResponse response = answer.get();
    if (reply->events) reply->events->close();
    check_answer(request, response, with_tokens);
    if (response.status >= 400) fuzz::require(turn_of(api) == before);
    return 0;
}
