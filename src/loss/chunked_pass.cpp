#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"
#include "proxstream/loss/pass_family.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// A chunk is worth waking a thread up for, and adding its gradient to the others'.
constexpr Index kLeastWork = Index{1} << 17;
constexpr Index kLeastWorkADimension = 32;
constexpr Index kMostChunks = 32;

struct Chunk {
    std::span<const RecordRows> records;
    Real value = 0;
    View gradient;
};

Index work_of(const PassFamily& family, std::span<const RecordRows> records) {
    Index rows = 0;
    Index stored = 0;
    for (const RecordRows& record : records) {
        rows += record.rows;
        stored += record.sparse != nullptr ? record.sparse->stored(record.first, record.rows)
                                           : record.rows * family.features();
    }
    return family.work(rows, stored);
}

/// Closes a chunk as soon as it has its share of the work, so there are no more than chunks.size(); returns
/// those in use.
std::span<Chunk> cut(const PassFamily& family, std::span<const RecordRows> records, Index work,
                     std::span<Chunk> chunks) {
    const Index share = (work + chunks.size() - 1) / chunks.size();
    Index used = 0;
    Index begin = 0;
    Index gathered = 0;
    for (Index i = 0; i < records.size(); ++i) {
        gathered += work_of(family, records.subspan(i, 1));
        if (gathered < share && i + 1 < records.size()) continue;
        chunks[used++] = {.records = records.subspan(begin, i + 1 - begin), .value = 0, .gradient = {}};
        begin = i + 1;
        gathered = 0;
    }
    return chunks.first(used);
}

}  // namespace

Real chunked_pass(const PassFamily& family, std::span<const RecordRows> records, ConstView x, View gradient,
                  Scratch& scratch) {
    const Index work = work_of(family, records);
    const Index most = std::min(work / std::max(kLeastWork, kLeastWorkADimension * x.size()), kMostChunks);
    if (most < 2) return family.pass(records, x, gradient, scratch);

    Scratch::Frame frame(scratch);
    const std::span<Chunk> chunks = cut(family, records, work, frame.take<Chunk>(most));
    for (Chunk& chunk : chunks) {
        chunk.gradient = &chunk == &chunks.front() ? gradient : frame.take(gradient.size());
    }
    scratch.part(chunks.size() - 1);
    parallel_for(chunks.size(), [&](Index i) {
        chunks[i].value = family.pass(chunks[i].records, x, chunks[i].gradient, scratch.part(i));
    });
    Real total = chunks.front().value;
    for (const Chunk& chunk : chunks.subspan(1)) {
        total += chunk.value;
        axpy(1, chunk.gradient, gradient);
    }
    return total;
}

}  // namespace proxstream
