#include "serve/json_body.hpp"

#include "proxstream/core/error.hpp"

#include <utility>
#include <vector>

#include <fmt/format.h>

namespace proxstream {
namespace {

/// Builds the tree and remembers where in it the reader is.
class BodyBuilder final : public nlohmann::json_sax<Json> {
  public:
    Json take() { return std::move(root_); }

    bool null() override { return value(nullptr); }
    bool boolean(bool flag) override { return value(flag); }
    bool number_integer(number_integer_t number) override { return value(number); }
    bool number_unsigned(number_unsigned_t number) override { return value(number); }
    bool number_float(number_float_t number, const string_t&) override { return value(number); }
    bool string(string_t& text) override { return value(std::move(text)); }
    bool binary(binary_t&) override { return false; }
    bool start_object(std::size_t) override { return open(Json::object()); }
    bool start_array(std::size_t) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(string_t& name) override {
        Level& level = levels_.back();
        level.key = std::move(name);
        level.named = true;
        if (level.json->contains(level.key)) refuse("comes twice", "members once each");
        return true;
    }
    bool parse_error(std::size_t position, const std::string& token, const Json::exception& error) override {
        if (error.id == 406)  // a number beyond what a double can be
            refuse(fmt::format("the number {} is too large", token), "finite numbers");
        refuse(fmt::format("not JSON at byte {}, near '{}'", position, token.substr(0, 40)),
               "JSON; numbers are finite, NaN and Infinity are none");
    }

  private:
    [[noreturn]] void refuse(const std::string& problem, const std::string& expected) const {
        throw DataError({.source = "body", .line = 0, .column = 0, .field = place()}, problem, expected);
    }
    std::string place() const {
        std::string text;
        for (const Level& level : levels_) {
            const bool inside = &level != &levels_.back();  // of what is added already
            if (level.json->is_array()) {
                text += fmt::format("[{}]", level.json->size() - (inside ? 1 : 0));
            } else if (inside || level.named) {
                text += (text.empty() ? "" : ".") + level.key;
            }
        }
        return text;
    }
    Json* add(Json&& json) {
        if (levels_.empty()) return &(root_ = std::move(json));
        Level& level = levels_.back();
        level.named = false;
        if (level.json->is_object()) return &((*level.json)[level.key] = std::move(json));
        level.json->push_back(std::move(json));
        return &level.json->back();
    }
    template <class Value>
    bool value(Value&& content) {
        add(Json(std::forward<Value>(content)));
        return true;
    }
    bool open(Json&& empty) {
        if (levels_.size() >= kDeepestBody)
            refuse("nested too deeply", fmt::format("no more than {} levels", kDeepestBody));
        levels_.push_back({add(std::move(empty)), {}, false});
        return true;
    }
    bool close() {
        levels_.pop_back();
        return true;
    }

    struct Level {
        Json* json;
        std::string key;     // of the member read last
        bool named = false;  // which has no value yet
    };
    Json root_;
    std::vector<Level> levels_;
};

}  // namespace

Json parse_body(std::string_view text) {
    BodyBuilder builder;
    if (!Json::sax_parse(text.begin(), text.end(), &builder))
        throw DataError({.source = "body", .line = 0, .column = 0, .field = ""}, "not JSON", "JSON");
    return builder.take();
}

std::string canonical(const Json& json) {
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace proxstream
