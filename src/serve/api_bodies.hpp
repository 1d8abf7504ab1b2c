/// What clients may send, read and checked as far as the API knows it; records themselves are checked by the
/// run they are for.
#pragma once

#include "serve/json_body.hpp"
#include "serve/learner_kinds.hpp"
#include "serve/post.hpp"

#include <string>
#include <string_view>
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
/// A row or several, as the run reads them.
std::string predict_body(const Json& body);
/// Options that name files are refused: nobody reaches the file system through the API.
ForkBody fork_body(const Json& body, const LearnerKind& kind);

}  // namespace proxstream
