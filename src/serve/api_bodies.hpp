/// Bodies of requests, read and checked. The run checks the records.
#pragma once

#include "serve/json_body.hpp"
#include "serve/learner_kinds.hpp"
#include "serve/post.hpp"

#include <string>
#include <vector>

namespace proxstream {

struct RoundsBody {
    std::vector<Post> posts;
    bool batch = false;
};

struct ForkBody {
    std::string name;
    SettingList changes;
    std::string events;  // JSON array
};

inline constexpr std::size_t kLongestKey = 200;  // bytes
inline constexpr std::size_t kLargestBatch = 10000;

// All throw DataError that names the field, or ConfigError with every violation.
RoundsBody rounds_body(const Json& body);
/// One row or several, in the form that the run reads.
std::string predict_body(const Json& body);
/// Refuses options that name files, so that the API opens no files.
ForkBody fork_body(const Json& body, const LearnerKind& kind);

}  // namespace proxstream
