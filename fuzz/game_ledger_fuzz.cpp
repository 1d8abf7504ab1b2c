/// The ledgers of a game's players: one made up beside a whole one, or two made up. They are read with their
/// seals as they come and corrected. The first byte says which; two are separated by a line `--`.
#include "proxstream/core/error.hpp"
#include "proxstream/regret/certify.hpp"

#include "fuzz_support.hpp"
#include "io/output_file.hpp"
#include "ledger_seals.hpp"
#include "play/open_game.hpp"
#include "play/play_job.hpp"

#include <filesystem>

#include <sys/mman.h>
#include <unistd.h>

using namespace proxstream;

namespace {

/// A file that is nowhere, under a name it can be opened by.
class MemoryFile {
  public:
    explicit MemoryFile(std::string_view bytes) : descriptor_(memfd_create("fuzz", MFD_CLOEXEC)) {
        fuzz::require(descriptor_ >= 0);
        while (!bytes.empty()) {
            const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
            fuzz::require(written > 0);
            bytes.remove_prefix(static_cast<std::size_t>(written));
        }
    }
    ~MemoryFile() { ::close(descriptor_); }
    MemoryFile(const MemoryFile&) = delete;
    MemoryFile& operator=(const MemoryFile&) = delete;
    std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

  private:
    int descriptor_;
};

/// The ledgers of four rounds of rock, paper, scissors.
const std::array<std::string, 2>& whole_pair() {
    static const std::array<std::string, 2> kPair = [] {
        const auto folder = std::filesystem::temp_directory_path() /
                            ("proxstream-game-ledger-fuzz-" + std::to_string(::getpid()));
        std::filesystem::create_directories(folder);
        PlaySettings settings;
        settings.game = "rps";
        settings.rounds = 4;
        settings.window = "2";
        settings.ledger = (folder / "l").string();
        drive(PlayJob(settings, open_game(settings)));
        std::array<std::string, 2> pair{read_whole_file((folder / "l-1-row.jsonl").string()),
                                        read_whole_file((folder / "l-2-column.jsonl").string())};
        std::filesystem::remove_all(folder);
        return pair;
    }();
    return kPair;
}

void try_certify(std::string_view first, std::string_view second) {
    const MemoryFile one(first);
    const MemoryFile other(second);
    try {
        const GameCertificate certificate = certify_game({one.path(), other.path()});
        fuzz::require(certificate.players.size() == 2);
        fuzz::require(!to_text(certificate).empty() && !to_json(certificate).empty());
        // What is said of a game is said of ledgers that hold by themselves.
        fuzz::require(certify(one.path()) == certificate.players[0]);
        fuzz::require(certify(other.path()) == certificate.players[1]);
    } catch (const Error&) {
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    constexpr std::string_view kBetween = "\n--\n";
    fuzz::Choices choices(data, size);
    const std::uint8_t choice = choices.byte();
    const std::string_view text = choices.rest();
    const auto& whole = whole_pair();
    const std::size_t cut = text.find(kBetween);
    if (choice % 4 == 0) {
        try_certify(text, whole[1]);
        try_certify(fuzz::sealed(text), whole[1]);
    } else if (choice % 4 == 1 || cut == std::string_view::npos) {
        try_certify(whole[0], text);
        try_certify(whole[0], fuzz::sealed(text));
    } else {
        const std::string_view first = text.substr(0, cut + 1);
        const std::string_view second = text.substr(cut + kBetween.size());
        try_certify(first, second);
        try_certify(fuzz::sealed(first), fuzz::sealed(second));
    }
    return 0;
}
