#include "core/json.hpp"

PROXSTREAM_JSON()
