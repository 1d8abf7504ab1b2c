/// How often this test program has called operator new so far.
#pragma once

namespace proxstream::fixtures {

long allocations();

}  // namespace proxstream::fixtures
