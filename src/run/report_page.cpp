#include "run/report_page.hpp"

#include "proxstream/core/error.hpp"
#include "proxstream/core/types.hpp"

namespace proxstream {

void require_report_page() {
    if (report_page().empty())
        throw ConfigError("report: this program was built without the report page (PROXSTREAM_WEB=OFF)");
}

std::string page_with_data(std::string_view json) {
    require_report_page();
    const std::string_view page = report_page();
    constexpr std::string_view kPlace = "id=\"proxstream-data\">";
    const Index begin = page.find(kPlace);
    const Index end = begin == page.npos ? page.npos : page.find("</script>", begin);
    if (end == page.npos) throw Error("report: the page has no place for its data");
    std::string html(page.substr(0, begin + kPlace.size()));
    html += json;
    html += page.substr(end);
    return html;
}

std::string live_page_with_data(std::string_view json) {
    std::string html = page_with_data(json);
    constexpr std::string_view kPolicy = "default-src 'none';";
    const Index begin = html.find(kPolicy);
    if (begin == html.npos) throw Error("report: the page has no policy");
    html.insert(begin + kPolicy.size(), " connect-src 'self';");
    return html;
}

}  // namespace proxstream
