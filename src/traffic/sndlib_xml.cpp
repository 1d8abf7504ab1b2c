/// XML by libexpat, which handles encodings, entities and their limits.
#include "io/field_text.hpp"
#include "traffic/sndlib_text.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <type_traits>

#include <expat.h>

namespace proxstream {
namespace {

constexpr Index kDeepest = 64;  // elements within elements; real files have 6

class XmlReader {
  public:
    XmlReader(const std::string& source, const std::string& bytes) : parser_(XML_ParserCreate(nullptr)) {
        text_.source = source;
        if (!parser_) throw std::bad_alloc();
        XML_SetUserData(parser_.get(), this);
        XML_SetElementHandler(parser_.get(), on_start, on_end);
        XML_SetCharacterDataHandler(parser_.get(), on_text);
        constexpr std::size_t kPiece = std::size_t{1} << 20U;  // expat counts bytes with an int
        for (std::size_t at = 0;; at += kPiece) {
            const std::size_t size = std::min(kPiece, bytes.size() - std::min(at, bytes.size()));
            const bool last = at + size >= bytes.size();
            const auto status =
                XML_Parse(parser_.get(), bytes.data() + at, static_cast<int>(size), last ? 1 : 0);
            if (fault_) std::rethrow_exception(fault_);
            if (status != XML_STATUS_OK) {
                throw DamagedFile(
                    locate(""),
                    std::string("this is not valid XML: ") + XML_ErrorString(XML_GetErrorCode(parser_.get())),
                    "a network of SNDlib, not cut");
            }
            if (last) return;
        }
    }

    SndlibText take() { return std::move(text_); }

  private:
    struct Free {
        void operator()(XML_Parser parser) const noexcept { XML_ParserFree(parser); }
    };

    /// expat is C: an exception has to wait until expat has returned.
    template <class Body>
    void guarded(Body body) noexcept {
        if (fault_) return;
        try {
            body();
        } catch (...) {
            fault_ = std::current_exception();
            XML_StopParser(parser_.get(), XML_FALSE);
        }
    }
    static void on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
        auto& reader = *static_cast<XmlReader*>(self);
        reader.guarded([&] { reader.start(name, attributes); });
    }
    static void on_end(void* self, const XML_Char* /*name*/) {
        auto& reader = *static_cast<XmlReader*>(self);
        reader.guarded([&] { reader.end(); });
    }
    static void on_text(void* self, const XML_Char* text, int size) {
        auto& reader = *static_cast<XmlReader*>(self);
        reader.guarded([&] { reader.content_.append(text, static_cast<std::size_t>(size)); });
    }

    void start(std::string_view name, const XML_Char** attributes) {
        if (path_.empty() && name != "network") {
            throw DamagedFile(locate(""), quoted_excerpt(name) + " is not the root element of SNDlib",
                              "<network>");
        }
        if (path_.size() == kDeepest)
            throw DamagedFile(locate(""), "elements are nested too deeply", "SNDlib");
        path_.emplace_back(name);
        content_.clear();
        std::string id;
        for (; *attributes != nullptr; attributes += 2) {
            const std::string_view key = attributes[0];
            if (key == "id") id = attributes[1];
            if (key == "linkModel") text_.link_model = attributes[1];
        }
        const auto line = XML_GetCurrentLineNumber(parser_.get());
        const std::string at = place();
        if (at == "nodes/node") text_.nodes.push_back({id, 0, 0, line});
        if (at == "links/link") text_.links.push_back({id, {}, {}, 0, 0, 0, line});
        if (at == "demands/demand") text_.demands.push_back({{}, {}, 0, line});
        if (at == "nodes/node" || at == "demands/demand") fields_ = 0;
    }

    /// "parent/element" of the open element.
    std::string place() const {
        return path_.size() < 2 ? path_.back() : path_[path_.size() - 2] + "/" + path_.back();
    }

    void end() {
        const std::string at = place();
        if (!text_.nodes.empty() && path_.size() > 2 && path_[path_.size() - 3] == "node")
            end_coordinate(at, text_.nodes.back());
        if (!text_.links.empty()) end_of_link(at, text_.links.back());
        if (!text_.demands.empty()) end_of_demand(at, text_.demands.back());
        if (at == "nodes/node" && fields_ != 2) refuse_short("coordinates x and y");
        if (at == "demands/demand" && fields_ != 3) refuse_short("source, target and demandValue");
        if (at == "meta/linkModel") text_.link_model = content();
        path_.pop_back();
        content_.clear();
    }
    void end_coordinate(std::string_view at, SndlibNode& node) {
        if (at == "coordinates/x") fill(node.x, number());
        if (at == "coordinates/y") fill(node.y, number());
    }
    void end_of_link(std::string_view at, SndlibLink& link) {
        if (at == "link/source") link.source = content();
        if (at == "link/target") link.target = content();
        if (at == "link/routingCost") link.routing_cost = amount();
        if (at == "preInstalledModule/capacity") link.installed = amount();
        if (at == "addModule/capacity") link.module = std::max(link.module, amount());
    }
    void end_of_demand(std::string_view at, SndlibDemand& demand) {
        if (at == "demand/source") fill(demand.source, content());
        if (at == "demand/target") fill(demand.target, content());
        if (at == "demand/demandValue") fill(demand.value, amount());
    }

    template <class Value>
    void fill(Value& part, Value value) {
        part = std::move(value);
        ++fields_;
    }

    std::string content() const {
        constexpr const char* kSpace = " \t\r\n";
        const auto first = content_.find_first_not_of(kSpace);
        if (first == std::string::npos) return {};
        return content_.substr(first, content_.find_last_not_of(kSpace) + 1 - first);
    }
    Real number() const {
        return read_number(content(), [&] { return locate(path_.back()); });
    }
    Real amount() const {
        return read_amount(content(), [&] { return locate(path_.back()); });
    }
    [[noreturn]] void refuse_short(const char* expected) const {
        throw DataError(locate(path_.back()), "the element is not complete", expected);
    }
    DataLocation locate(const std::string& field) const {
        return {text_.source, XML_GetCurrentLineNumber(parser_.get()), 0, field};
    }

    std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free> parser_;
    SndlibText text_;
    std::vector<std::string> path_;  // the elements that are open
    std::string content_;
    Index fields_ = 0;  // complete parts of a node or a demand
    std::exception_ptr fault_;
};

}  // namespace

SndlibText parse_sndlib_xml(const std::string& source, const std::string& bytes) {
    return XmlReader(source, bytes).take();
}

}  // namespace proxstream
