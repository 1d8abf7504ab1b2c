/// The API over a pipe: a JSON object a line in, one out, in the same order, with the bodies and answers of
/// HTTP.
#pragma once

#include "serve/api.hpp"

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace proxstream {

class LineProtocol {
  public:
    static constexpr std::size_t kWaiting = 1024;  // lines that may wait for their answer

    /// `write` gets whole lines, in order, from one thread at a time. `learner`: of lines that name none;
    /// empty: they have to.
    LineProtocol(const Api& api, std::string learner, std::function<void(std::string_view)> write);

    /// A line without its end; blocks while too many wait. An empty line is no request.
    void take(std::string_view line);
    /// Something else than a line: it is answered in its place.
    void refuse(const Refusal& refusal);
    /// Until everything is answered.
    void finish();

  private:
    struct Slot {
        std::optional<std::string> answer;
    };
    class Reply;

    std::shared_ptr<Slot> reserve();
    void answer(const std::shared_ptr<Slot>& slot, std::string text);
    void dispatch(std::string_view line, const std::shared_ptr<Slot>& slot);

    const Api& api_;
    std::string learner_;
    std::function<void(std::string_view)> write_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::shared_ptr<Slot>> slots_;
};

}  // namespace proxstream
