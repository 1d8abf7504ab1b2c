/// A flag that asks a run or a waiting read to end.
#pragma once

#include <atomic>

namespace proxstream {

using StopFlag = const std::atomic<bool>*;  ///< checked between two pieces of work; nullptr: never stop

}  // namespace proxstream
