/// Text of users and files in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace proxstream {

/// Bytes of a spec or of an option's value that a message shows.
inline constexpr std::size_t kSpecExcerpt = 200;

/// 'text', cut to about `most` bytes, with what cannot be printed written as \xNN.
std::string quoted_excerpt(std::string_view text, std::size_t most = 40);

}  // namespace proxstream
