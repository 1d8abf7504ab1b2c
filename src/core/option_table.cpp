#include "core/option_table.hpp"

namespace proxstream {

std::string_view replacement_of(std::string_view name) {
    if (name == "checkpoint" || name == "checkpoint-every" || name == "resume")
        return "keep the run in a file with --store FILE; 'proxstream resume FILE' continues it";
    if (name == "mu") return "the L1 norm is constant on splits; --path-price favours short paths";
    return {};
}

}  // namespace proxstream
