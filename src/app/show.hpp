/// What `show` prints of a run store and of a model.
#pragma once

#include <string>

namespace proxstream::app {

void show_store(const std::string& path);

struct ModelView {
    bool all = false;  // every feature, instead of the most influential ones
    bool csv = false;  // weights with all digits, and nothing else
};
void show_model(const std::string& path, const ModelView& view);

}  // namespace proxstream::app
