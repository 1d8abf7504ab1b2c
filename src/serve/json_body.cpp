#include "serve/json_body.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/spec.hpp"

#include <algorithm>
#include <set>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Follows the parser through the text: where it stands, and which names came before.
class BodyChecker {
  public:
    /// Throws for a name that comes twice and for nesting that is too deep.
    bool operator()(Json::parse_event_t event, const Json& parsed) {
        using Event = Json::parse_event_t;
        switch (event) {
            case Event::object_start:
            case Event::array_start:
                if (levels_.size() >= kDeepestBody)
                    refuse_field(kBody, place(), "nested too deeply",
                                 fmt::format("no more than {} levels", kDeepestBody));
                levels_.push_back({.is_array = event == Event::array_start});
                break;
            case Event::key:
                levels_.back().key = parsed.get<std::string>();
                if (!levels_.back().names.insert(levels_.back().key).second)
                    refuse_field(kBody, place(), "comes twice", "members once each");
                break;
            case Event::object_end:
            case Event::array_end:
                levels_.pop_back();
                finish_value();
                break;
            case Event::value:
                finish_value();
                break;
        }
        return true;
    }

    std::string place() const {
        std::string text;
        for (const Level& level : levels_) {
            if (level.is_array) {
                text += fmt::format("[{}]", level.index);
            } else if (!level.key.empty()) {
                text = inside(text, level.key);
            }
        }
        return text;
    }

  private:
    struct Level {
        bool is_array = false;
        std::size_t index = 0;             // of the value to come
        std::string key = {};              // of the value to come
        std::set<std::string> names = {};  // so far
    };
    void finish_value() {
        if (levels_.empty()) return;
        ++levels_.back().index;
        levels_.back().key.clear();
    }

    std::vector<Level> levels_;
};

}  // namespace

Json parse_body(std::string_view text) {
    BodyChecker checker;
    try {
        return Json::parse(text.begin(), text.end(),
                           [&](int /*depth*/, Json::parse_event_t event, const Json& parsed) {
                               return checker(event, parsed);
                           });
    } catch (const Json::parse_error& error) {
        const std::size_t at = std::min(error.byte, text.size());
        const std::size_t begin = at - std::min<std::size_t>(at, 40);
        refuse_field(
            kBody, checker.place(),
            fmt::format("not JSON at byte {}, near '{}'", error.byte, text.substr(begin, at - begin)),
            "JSON with finite numbers, so without NaN and Infinity");
    } catch (const Json::out_of_range&) {
        refuse_field(kBody, checker.place(), "the number is too large", "finite numbers");
    }
}

std::string canonical(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void refuse_field(const char* source, const std::string& field, const std::string& problem,
                  const std::string& expected) {
    throw DataError({.source = source, .line = 0, .column = 0, .field = field}, problem, expected);
}

std::string inside(const std::string& place, const std::string& name) {
    return place.empty() ? name : place + "." + name;
}

void require_members(const char* source, const Json& object, const std::string& place,
                     std::initializer_list<const char*> names) {
    if (!object.is_object()) refuse_field(source, place, "not an object", "an object {..}");
    for (const auto& [name, value] : object.items()) {
        if (std::find(names.begin(), names.end(), name) != names.end()) continue;
        const std::vector<std::string> known(names.begin(), names.end());
        refuse_field(source, inside(place, name), unknown_name("member", name, known), "");
    }
}

}  // namespace proxstream
