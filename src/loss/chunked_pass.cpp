#include "proxstream/core/linalg.hpp"
#include "proxstream/core/parallel.hpp"

#include "loss/pass_family.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// Least work of a chunk, which costs a thread and the addition of a gradient.
constexpr Index kLeastWork = Index{1} << 17;
constexpr Index kLeastWorkADimension = 32;
constexpr Index kMostChunks = 32;

struct Chunk {
    std::span<const RecordRows> records;
    Real value = 0;
    View gradient;
};

Index work_of(const PassFamily& family, const RecordRows& record) {
    return family.work(record.rows, record.sparse != nullptr
                                        ? record.sparse->stored(record.first, record.rows)
                                        : record.rows * family.features());
}

/// The first `count` rows; `rows` keeps the rest.
RecordRows split_off(RecordRows& rows, Index count) {
    RecordRows head = rows;
    head.rows = count;
    rows.rows -= count;
    rows.skip(count);
    return head;
}

/// Closes a chunk as soon as it has its share of the work, so chunks.size() suffices. Returns the chunks in
/// use. Dense records are cut where the share is full, others stay whole. `pieces` has room for all
/// records and a cut a chunk.
std::span<Chunk> cut(const PassFamily& family, std::span<const RecordRows> records, Index work,
                     std::span<RecordRows> pieces, std::span<Chunk> chunks) {
    const Index share = (work + chunks.size() - 1) / chunks.size();
    const Index row_work = std::max<Index>(family.work(1, family.features()), 1);
    Index used = 0;
    Index begin = 0;
    Index end = 0;
    Index gathered = 0;
    const auto close = [&] {
        chunks[used++] = {.records = pieces.subspan(begin, end - begin), .value = 0, .gradient = {}};
        begin = end;
        gathered = 0;
    };
    for (RecordRows rest : records) {
        rest.pass_work = work;  // how best to fetch a row depends on how many there are in all
        if (rest.sparse == nullptr) {
            for (;;) {
                const Index wanted = (share - gathered + row_work - 1) / row_work;
                if (wanted >= rest.rows) break;
                pieces[end++] = split_off(rest, wanted);
                close();
            }
        }
        gathered += work_of(family, rest);
        pieces[end++] = rest;
        if (gathered >= share) close();
    }
    if (end > begin) close();
    return chunks.first(used);
}

}  // namespace

Real chunked_pass(const PassFamily& family, std::span<const RecordRows> records, ConstView x, View gradient,
                  Scratch& scratch) {
    Index work = 0;
    for (const RecordRows& record : records) work += work_of(family, record);
    const Index most = std::min(work / std::max(kLeastWork, kLeastWorkADimension * x.size()), kMostChunks);
    if (most < 2) return family.pass(records, x, gradient, scratch);

    Scratch::Frame frame(scratch);
    const std::span<Chunk> chunks =
        cut(family, records, work, frame.take<RecordRows>(records.size() + most), frame.take<Chunk>(most));
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
