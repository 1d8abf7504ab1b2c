#include "app/plugins.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/prox/regulariser_table.hpp"

#include "loss/loss_table.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <dlfcn.h>

namespace proxstream::app {
namespace {

constexpr std::string_view kOption = "--plugin";

std::size_t registered_count() {
    return losses().size() + regularisers().size();
}

}  // namespace

std::vector<std::string> take_plugins(std::vector<std::string>& arguments) {
    std::vector<std::string> files;
    std::vector<std::string> others;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view argument = arguments[i];
        std::string file;
        if (argument == kOption) {
            if (i + 1 < arguments.size()) file = arguments[++i];
        } else if (argument.starts_with(kOption) && argument.substr(kOption.size()).starts_with('=')) {
            file = argument.substr(kOption.size() + 1);
        } else {
            others.push_back(arguments[i]);
            continue;
        }
        if (file.empty()) throw ConfigError("--plugin: the name of a shared object is missing");
        files.push_back(file);
    }
    arguments = std::move(others);
    return files;
}

std::vector<std::string> plugins_of_environment() {
    std::vector<std::string> files;
    const char* const value = std::getenv("PROXSTREAM_PLUGINS");
    std::string_view rest = value == nullptr ? "" : value;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(':'), rest.size());
        if (end > 0) files.emplace_back(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return files;
}

void load_plugin(const std::string& path) {
    static std::vector<void*> loaded;
    // Without a slash dlopen would look in the system's folders instead of here.
    const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
    const std::size_t before = registered_count();
    void* const handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw ConfigError("plugin " + path + " cannot be loaded: " + dlerror());
    if (std::find(loaded.begin(), loaded.end(), handle) != loaded.end()) return;
    loaded.push_back(handle);
    if (void* const entry = dlsym(handle, "proxstream_register"); entry != nullptr) {
        reinterpret_cast<void (*)()>(entry)();
    }
    if (registered_count() == before) {
        throw ConfigError(
            "plugin " + path +
            " registers nothing; it needs a function extern \"C\" void proxstream_register() that "
            "calls register_loss or register_regulariser");
    }
}

}  // namespace proxstream::app
