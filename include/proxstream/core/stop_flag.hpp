/// How a run is asked to end: raised by whoever wants it to, looked at between two pieces of work.
#pragma once

#include <atomic>

namespace proxstream {

using StopFlag = const std::atomic<bool>*;  // nullptr: nobody asks

}  // namespace proxstream
