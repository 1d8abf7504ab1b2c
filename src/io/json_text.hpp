/// JSON written piece by piece, for data too bulky to be held as a tree first.
#pragma once

#include "proxstream/core/types.hpp"

#include <string>
#include <string_view>

namespace proxstream {

/// Commas are added automatically; the caller opens and closes brackets in pairs. Text is safe inside an HTML
/// <script> element: no '<' appears, nor do the line ends that JavaScript has beyond JSON's.
class JsonText {
  public:
    void open(char bracket);
    void close(char bracket);
    /// Names the value that follows.
    void key(std::string_view name);

    void number(Real value);  // shortest form; null if not finite
    /// At most that many significant digits; null if not finite.
    void number(Real value, int digits);
    void integer(Index value);
    void flag(bool value);
    void null();
    void text(std::string_view value);  // what is not UTF-8 becomes U+FFFD
    void json(std::string_view value);  // known to be JSON

    std::string take() { return std::move(out_); }

  private:
    void separate();

    std::string out_;
};

}  // namespace proxstream
