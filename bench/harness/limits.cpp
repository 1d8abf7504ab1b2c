// Compiled with -ffp-contract=fast (bench/CMakeLists.txt): the limit of a machine that can fuse is fused.
#include "harness/limits.hpp"

#include <cstring>

namespace proxstream::bench {
namespace {

#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && \
    !defined(__SANITIZE_THREAD__)
#define BENCH_CLONES [[gnu::target_clones("avx512f", "arch=haswell", "default")]]
#else
#define BENCH_CLONES
#endif

// As wide as any register so far; narrower machines take several. A load is four of them, for as many chains.
using Word [[gnu::vector_size(64)]] = std::uint64_t;
constexpr Index kWord = 8;
constexpr Index kStep = 4 * kWord;

/// `Streams` places at a time, `kAhead` bytes requested ahead of each where it is not 0.
template <Index Streams, Index Ahead>
[[gnu::always_inline]] inline std::uint64_t read_streams(const double* values, Index count) {
    const Index part = count / (Streams * kStep) * kStep;
    Word sums[Streams][4] = {};
    for (Index i = 0; i < part; i += kStep) {
        for (Index s = 0; s < Streams; ++s) {
            const double* place = values + s * part + i;
            if constexpr (Ahead > 0) {
                for (Index k = 0; k < 4; ++k) __builtin_prefetch(place + Ahead / 8 + k * kWord);
            }
            for (Index k = 0; k < 4; ++k) {
                Word word;
                std::memcpy(&word, place + k * kWord, sizeof word);
                sums[s][k] ^= word;
            }
        }
    }
    Word all = {};
    for (Index s = 0; s < Streams; ++s) {
        for (Index k = 0; k < 4; ++k) all ^= sums[s][k];
    }
    std::uint64_t result = 0;
    for (Index k = 0; k < kWord; ++k) result ^= all[k];
    for (Index i = Streams * part; i < count; ++i) {
        std::uint64_t bits = 0;
        std::memcpy(&bits, values + i, sizeof bits);
        result ^= bits;
    }
    return result;
}

BENCH_CLONES std::uint64_t read_1(const double* values, Index count) {
    return read_streams<1, 0>(values, count);
}
BENCH_CLONES std::uint64_t read_2(const double* values, Index count) {
    return read_streams<2, 0>(values, count);
}
BENCH_CLONES std::uint64_t read_4(const double* values, Index count) {
    return read_streams<4, 0>(values, count);
}
BENCH_CLONES std::uint64_t read_1_ahead(const double* values, Index count) {
    return read_streams<1, 2048>(values, count);
}
BENCH_CLONES std::uint64_t read_2_ahead(const double* values, Index count) {
    return read_streams<2, 1024>(values, count);
}
BENCH_CLONES std::uint64_t read_4_ahead(const double* values, Index count) {
    return read_streams<4, 1024>(values, count);
}

BENCH_CLONES void multiply_add_chains(Index rounds, double* out) {
    constexpr Index kChains = 12;
    using Reals [[gnu::vector_size(64)]] = double;
    Reals sums[kChains];
    Reals factor, term;
    for (Index k = 0; k < kWord; ++k) {
        factor[k] = 1 - 1e-9;
        term[k] = 1e-9;
    }
    for (Index c = 0; c < kChains; ++c) sums[c] = term * static_cast<double>(c);
    for (Index i = 0; i < rounds; ++i) {
        for (Index c = 0; c < kChains; ++c) sums[c] = sums[c] * factor + term;
    }
    Reals all = {};
    for (Index c = 0; c < kChains; ++c) all += sums[c];
    for (Index k = 0; k < kWord; ++k) out[k] = all[k];
}

}  // namespace

const std::vector<ReadWay>& read_ways() {
    static const std::vector<ReadWay> ways{{"one stream", read_1},
                                           {"two streams", read_2},
                                           {"four streams", read_4},
                                           {"one stream, requested ahead", read_1_ahead},
                                           {"two streams, requested ahead", read_2_ahead},
                                           {"four streams, requested ahead", read_4_ahead}};
    return ways;
}

ReadWay fastest_read(std::span<const double> values, const Effort& effort) {
    std::vector<Timed> entries;
    for (const ReadWay& way : read_ways())
        entries.push_back(looped([values, way] { keep(way.read(values.data(), values.size())); }, effort));
    const Timings timings = comparison(entries, effort);
    Index best = 0;
    for (Index i = 1; i < read_ways().size(); ++i) {
        if (timings.seconds(i).median < timings.seconds(best).median) best = i;
    }
    return read_ways()[best];
}

double multiply_adds(Index rounds) {
    double out[kWord];
    multiply_add_chains(rounds, out);
    keep(out);
    return static_cast<double>(rounds) * 12 * kWord * 2;
}

}  // namespace proxstream::bench
