/// The libraries in use. Advisories name versions; bug reports need them.
#include "app/verbs.hpp"
#include "core/simd.hpp"

#include <array>
#include <string>

#include <CLI/Version.hpp>
#include <Eigen/src/Core/util/Macros.h>
#include <expat.h>
#include <fmt/format.h>
#include <microhttpd.h>
#include <nlohmann/json.hpp>
#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <sqlite3.h>
#include <tbb/version.h>
#include <toml++/impl/version.h>
#include <zlib.h>

namespace proxstream::app {
namespace {

struct Library {
    const char* name;
    std::string compiled;  // the version of its headers
    std::string running;   // that of the shared object; empty: it has none, or does not say
};

std::string dotted(int major, int minor, int patch) {
    return fmt::format("{}.{}.{}", major, minor, patch);
}

/// 0x00097500 is 0.9.75.
std::string microhttpd_version() {
    const auto digits = [](int shift) {
        constexpr unsigned kVersion = MHD_VERSION;
        return fmt::format("{:x}", kVersion >> static_cast<unsigned>(shift) & 0xffU);
    };
    return digits(24) + "." + digits(16) + "." + digits(8);
}

std::array<Library, 11> libraries() {
    const XML_Expat_Version expat = XML_ExpatVersionInfo();
    return {{
        {"SQLite", SQLITE_VERSION, sqlite3_libversion()},
        {"zlib", ZLIB_VERSION, zlibVersion()},
        {"Expat", dotted(XML_MAJOR_VERSION, XML_MINOR_VERSION, XML_MICRO_VERSION),
         dotted(expat.major, expat.minor, expat.micro)},
        {"OpenSSL", OPENSSL_FULL_VERSION_STR, OpenSSL_version(OPENSSL_FULL_VERSION_STRING)},
        {"libmicrohttpd", microhttpd_version(), MHD_get_version()},
        {"oneTBB", TBB_VERSION_STRING, TBB_runtime_version()},
        {"fmt", dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100), ""},
        {"toml++", dotted(TOML_LIB_MAJOR, TOML_LIB_MINOR, TOML_LIB_PATCH), ""},
        {"nlohmann json",
         dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR, NLOHMANN_JSON_VERSION_PATCH), ""},
        {"CLI11", CLI11_VERSION, ""},
        {"Eigen", dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION), ""},
    }};
}

std::string instructions() {
#ifdef PROXSTREAM_HAS_CLONES
    if (__builtin_cpu_supports("avx512f")) return "avx512f";
    return __builtin_cpu_supports("avx2") ? "avx2" : "those of every x86-64 processor";
#else
    return "those of the compiler's options";
#endif
}

}  // namespace

void print_versions() {
    fmt::print("compiler      {} {}, build type {}\n",
#ifdef __clang__
               "clang",
#else
               "GCC",
#endif
               __VERSION__, PROXSTREAM_BUILD_TYPE);
    fmt::print("instructions  {}\n\n{:<16}{:<16}{}\n", instructions(), "library", "compiled with", "running");
    for (const Library& library : libraries())
        fmt::print("{:<16}{:<16}{}\n", library.name, library.compiled,
                   library.running.empty() ? "-" : library.running);
    fmt::print("{:<16}{:<16}-\n", "Random123", "(not stated)");
}

}  // namespace proxstream::app
