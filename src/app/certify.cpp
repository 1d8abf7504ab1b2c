#include "proxstream/regret/certify.hpp"

#include "app/exit_code.hpp"
#include "app/verbs.hpp"

#include <fmt/format.h>

namespace proxstream::app {

int certify_ledger(const std::vector<std::string>& arguments) {
    bool json = false;
    std::vector<std::string> paths;
    for (const std::string& argument : arguments) {
        if (argument == "--help" || argument == "-h") {
            fmt::print(
                "Recomputes a run's certificate from its ledger alone and checks that the ledger is whole "
                "and untouched.\n"
                "usage: proxstream certify [--json] LEDGER\n");
            return kOk;
        }
        if (argument == "--json") {
            json = true;
        } else if (argument.size() > 1 && argument.starts_with('-')) {
            throw ConfigError("unknown option '" + argument + "'; certify knows --json and --help");
        } else {
            paths.push_back(argument);
        }
    }
    if (paths.size() != 1) throw ConfigError("certify: expected one ledger, see 'proxstream certify --help'");
    try {
        const Certificate certificate = certify(paths[0]);
        fmt::print("{}{}", json ? to_json(certificate) : to_text(certificate), json ? "\n" : "");
        return certificate.sound() ? kOk : kNotCertified;
    } catch (const DataError& error) {
        fmt::print(stderr, "proxstream: {}\n", error.what());
        return kNotCertified;
    }
}

}  // namespace proxstream::app
