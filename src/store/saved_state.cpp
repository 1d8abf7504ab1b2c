#include "store/saved_state.hpp"

namespace proxstream {
namespace {

/// Accounts of one run.
constexpr std::uint64_t kMostAccounts = std::uint64_t{1} << 24U;

/// A function as a part of a checkpoint.
struct RunPart {
    const Journal::Exchange& visit;
    void exchange(Checkpoint& checkpoint) { visit(checkpoint); }
};

void exchange_marks(Checkpoint& checkpoint, SavedState::Marks& marks) {
    std::uint64_t count = marks.size();
    checkpoint.exchange("accounts", count, kMostAccounts);
    if (checkpoint.reading()) marks.clear();
    for (std::uint64_t i = 0; i < count; ++i) {
        if (checkpoint.reading()) marks.emplace_back();
        checkpoint.exchange("account", marks[i].first);
        checkpoint.part("mark", marks[i].second);
    }
}

}  // namespace

std::string SavedState::bytes(Marks marks, const Journal::Exchange& run) {
    Checkpoint checkpoint;
    exchange_marks(checkpoint, marks);
    RunPart part{run};
    checkpoint.part("run", part);
    return checkpoint.seal();
}

SavedState::SavedState(std::string_view bytes, const std::string& source) : checkpoint_(bytes, source) {
    exchange_marks(checkpoint_, marks_);
}

void SavedState::read(const Journal::Exchange& run) {
    RunPart part{run};
    checkpoint_.part("run", part);
    checkpoint_.finish();
}

}  // namespace proxstream
