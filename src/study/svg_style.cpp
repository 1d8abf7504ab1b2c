#include "study/svg_style.hpp"

#include <array>

#include <fmt/format.h>

namespace proxstream {
namespace {

struct Colour {
    const char* light;  // on white
    const char* dark;   // on near-black
};

constexpr std::array kPalette{Colour{"#0969da", "#58a6ff"}, Colour{"#bc4c00", "#f0883e"},
                              Colour{"#1a7f37", "#3fb950"}, Colour{"#8250df", "#bc8cff"},
                              Colour{"#cf222e", "#ff7b72"}, Colour{"#0b7285", "#39c5cf"},
                              Colour{"#9a6700", "#d29922"}, Colour{"#57606a", "#afb8c1"}};
constexpr std::array kDashes{"", "6 3", "2 3"};
constexpr Real kRadius = 3.4;

}  // namespace

std::string xml_text(std::string_view text) {
    std::string safe;
    for (const char c : text) {
        switch (c) {
            case '&':
                safe += "&amp;";
                break;
            case '<':
                safe += "&lt;";
                break;
            case '>':
                safe += "&gt;";
                break;
            case '"':
                safe += "&quot;";
                break;
            case '\'':
                safe += "&#39;";
                break;
            default:
                if (static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t') safe += c;
        }
    }
    return safe;
}

std::string chart_style() {
    std::string light =
        ".chart text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif;"
        "font-size:11px;fill:#1f2328}\n"
        ".chart .title{font-size:16px;font-weight:600}.chart .panel{font-size:13px;font-weight:600}\n"
        ".chart .soft{fill:#59636e}.chart .paper{fill:#ffffff}.chart .line{fill:none;stroke-width:1.8;"
        "stroke-linejoin:round}\n"
        ".chart .grid{stroke:#e4e8ec}.chart .frame{stroke:#8c959f;fill:none}.chart .error{stroke-width:1.2}"
        ".chart .ink{stroke:#1f2328;stroke-width:1.2}"
        ".chart .shade{fill-opacity:0.16}\n";
    std::string dark =
        "@media (prefers-color-scheme:dark){\n.chart text{fill:#e6edf3}.chart .soft{fill:#9198a1}"
        ".chart .paper{fill:#0d1117}.chart .grid{stroke:#262c36}.chart .frame{stroke:#656c76}.chart "
        ".ink{stroke:#e6edf3}\n";
    for (Index i = 0; i < kPalette.size(); ++i) {
        light += fmt::format(".chart .s{0}{{stroke:{1}}}.chart .f{0}{{fill:{1}}}\n", i, kPalette[i].light);
        dark += fmt::format(".chart .s{0}{{stroke:{1}}}.chart .f{0}{{fill:{1}}}\n", i, kPalette[i].dark);
    }
    return "<style>\n" + light + dark + "}\n</style>\n";
}

std::string stroke_class(Index order) {
    return fmt::format("s{}", order % kPalette.size());
}

std::string fill_class(Index order) {
    return fmt::format("f{}", order % kPalette.size());
}

std::string dashes(Index order) {
    const Index turn = order / kPalette.size() % kDashes.size();
    return turn == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", kDashes[turn]);
}

std::string marker(Index order, Real x, Real y) {
    const Real r = kRadius;
    const std::string paint = fmt::format("class=\"{}\"", fill_class(order));
    switch (order % 5) {
        case 0:
            return fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{}\" {}/>", x, y, r, paint);
        case 1:
            return fmt::format("<rect x=\"{:.2f}\" y=\"{:.2f}\" width=\"{}\" height=\"{}\" {}/>", x - r * 0.9,
                               y - r * 0.9, r * 1.8, r * 1.8, paint);
        case 2:
            return fmt::format("<path d=\"M{:.2f} {:.2f}l{} {}h{}z\" {}/>", x, y - r * 1.2, r * 1.15, r * 2,
                               -r * 2.3, paint);
        case 3:
            return fmt::format("<path d=\"M{:.2f} {:.2f}l{} {}l{} {}l{} {}z\" {}/>", x, y - r * 1.3, r * 1.3,
                               r * 1.3, -r * 1.3, r * 1.3, -r * 1.3, -r * 1.3, paint);
        default:
            return fmt::format("<path d=\"M{:.2f} {:.2f}l{} {}h{}z\" {}/>", x, y + r * 1.2, r * 1.15, -r * 2,
                               -r * 2.3, paint);
    }
}

Real text_width(std::string_view text, Real font_size) {
    Real width = 0;
    for (const char c : text) {
        // Bytes that continue a character add nothing to it.
        if ((static_cast<unsigned char>(c) & 0xC0U) == 0x80U) continue;
        const bool thin = std::string_view("iljt.,:;'|!() ").find(c) != std::string_view::npos;
        width += font_size * (thin ? 0.38 : 0.62);
    }
    return width;
}

}  // namespace proxstream
