#include "io/field_text.hpp"
#include "io/line_reader.hpp"
#include "traffic/sndlib_text.hpp"

#include <algorithm>

namespace proxstream {
namespace {

/// Words and parentheses; # begins a comment.
class NativeTokens {
  public:
    explicit NativeTokens(const Input& input) : lines_(input.open()) {
        std::string_view line;
        if (!lines_.next(line) || !without_blanks(line).starts_with(kNativeMark)) {
            throw DamagedFile(lines_.here(), "this is not the native SNDlib format",
                              "a first line '?SNDlib native format ..'");
        }
        if (const std::string low = lower_case(line); low.find("type: network") == std::string::npos) {
            throw DamagedFile(lines_.here(), quoted_excerpt(line) + " is not the beginning of a network",
                              "'type: network'");
        }
    }

    /// The next token without taking it; empty at the end.
    const std::string& peek() {
        while (token_.empty()) {
            const auto begin = rest_.find_first_not_of(" \t");
            if (begin == std::string_view::npos || rest_[begin] == '#') {
                if (!lines_.next(rest_)) return token_;
                continue;
            }
            const bool bracket = rest_[begin] == '(' || rest_[begin] == ')';
            const auto end =
                bracket ? begin + 1 : std::min(rest_.find_first_of(" \t()#", begin), rest_.size());
            token_ = rest_.substr(begin, end - begin);
            rest_.remove_prefix(end);
        }
        return token_;
    }

    std::string take(const char* what) {
        peek();
        if (token_.empty()) {
            throw DamagedFile(lines_.here(what), "the file ends here", "a file that was not cut");
        }
        std::string taken;
        taken.swap(token_);
        return taken;
    }
    std::string word(const char* what) {
        std::string taken = take(what);
        if (taken == "(" || taken == ")") refuse(taken, what);
        return taken;
    }
    void expect(const char* bracket) {
        if (const std::string taken = take(bracket); taken != bracket) refuse(taken, bracket);
    }
    bool take_if(const char* bracket) {
        if (peek() != bracket) return false;
        token_.clear();
        return true;
    }
    Real amount(const char* what) {
        const std::string text = word(what);
        return read_amount(text, [&] { return lines_.here(what); });
    }
    Real number(const char* what) {
        const std::string text = word(what);
        return read_number(text, [&] { return lines_.here(what); });
    }
    void skip_group() {
        for (Index depth = 1; depth > 0;) {
            const std::string taken = take(")");
            if (taken == "(") ++depth;
            if (taken == ")") --depth;
        }
    }
    std::uint64_t line() const { return lines_.line(); }
    const std::string& source() const { return lines_.name(); }

  private:
    [[noreturn]] void refuse(const std::string& taken, const char* what) const {
        throw DataError(lines_.here(), quoted_excerpt(taken) + " is not expected here", what);
    }

    LineReader lines_;
    std::string_view rest_;
    std::string token_;
};

void read_node(NativeTokens& tokens, SndlibText& text) {
    SndlibNode node;
    node.name = tokens.word("node");
    node.line = tokens.line();
    tokens.expect("(");
    node.x = tokens.number("x");
    node.y = tokens.number("y");
    tokens.expect(")");
    text.nodes.push_back(std::move(node));
}

void read_link(NativeTokens& tokens, SndlibText& text) {
    SndlibLink link;
    link.name = tokens.word("link");
    link.line = tokens.line();
    tokens.expect("(");
    link.source = tokens.word("source");
    link.target = tokens.word("target");
    tokens.expect(")");
    link.installed = tokens.amount("pre-installed capacity");
    tokens.amount("pre-installed capacity cost");
    link.routing_cost = tokens.amount("routing cost");
    tokens.amount("setup cost");
    tokens.expect("(");
    while (!tokens.take_if(")")) {
        link.module = std::max(link.module, tokens.amount("module capacity"));
        tokens.amount("module cost");
    }
    text.links.push_back(std::move(link));
}

void read_demand(NativeTokens& tokens, SndlibText& text) {
    SndlibDemand demand;
    tokens.word("demand");
    demand.line = tokens.line();
    tokens.expect("(");
    demand.source = tokens.word("source");
    demand.target = tokens.word("target");
    tokens.expect(")");
    tokens.amount("routing unit");
    demand.value = tokens.amount("demand value");
    tokens.word("maximal path length");
    text.demands.push_back(std::move(demand));
}

/// Reads a word of `key = value`. Only one key matters, and values may hold groups in parentheses.
void read_meta(NativeTokens& tokens, SndlibText& text) {
    if (tokens.take_if("(")) {
        tokens.skip_group();
        return;
    }
    if (tokens.word("key") == "link_model" && tokens.peek() == "=") {
        tokens.word("=");
        text.link_model = tokens.word("link_model");
    }
}

}  // namespace

SndlibText parse_sndlib_native(const Input& input) {
    NativeTokens tokens(input);
    SndlibText text;
    text.source = tokens.source();
    while (!tokens.peek().empty()) {
        const std::string section = tokens.word("a section");
        tokens.expect("(");
        void (*read)(NativeTokens&, SndlibText&) = nullptr;
        if (section == "META") read = read_meta;
        if (section == "NODES") read = read_node;
        if (section == "LINKS") read = read_link;
        if (section == "DEMANDS") read = read_demand;
        if (read == nullptr) {
            tokens.skip_group();  // ADMISSIBLE_PATHS and other keys
            continue;
        }
        while (!tokens.take_if(")")) read(tokens, text);
    }
    return text;
}

}  // namespace proxstream
