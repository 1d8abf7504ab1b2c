/// Turns a learner's facts into the header of its run.
#pragma once

#include "proxstream/regret/run_record.hpp"

#include "online/learner.hpp"

namespace proxstream {

/// Throws ConfigError if the learner's decisions have another dimension.
RunHeader header_of(const LearnerFacts& facts, Index dimension);

}  // namespace proxstream
