/// Names of other programs lead to the rows of our tables.
#include "proxstream/prox/regulariser_table.hpp"

#include "core/find_row.hpp"
#include "loss/loss_table.hpp"
#include "offline/method_table.hpp"
#include "online/learner_table.hpp"
#include "run/learn_settings.hpp"
#include "support/refusal.hpp"

#include <map>
#include <set>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace proxstream {
namespace {

template <class Rows>
std::set<std::string> names_of(const Rows& rows) {
    std::set<std::string> names;
    for (const auto& row : rows) names.emplace(row.name);
    return names;
}

/// Of learn, and verbs beside them.
std::set<std::string> options() {
    std::set<std::string> names{"proxstream predict", "proxstream fit"};
    for (const auto& row : LearnSettings::options()) names.insert("--" + std::string(row.name));
    return names;
}

/// The name between the first quotes.
std::string quoted(std::string_view text) {
    const std::size_t begin = text.find('\'') + 1;
    return std::string(text.substr(begin, text.find_first_of(":'", begin) - begin));
}

TEST(OtherNames, NameRowsOfOurTablesAndNoneOfTheirs) {
    const std::map<std::string_view, std::set<std::string>> tables{{"loss", names_of(losses())},
                                                                   {"regulariser", names_of(regularisers())},
                                                                   {"learner", names_of(learners())},
                                                                   {"method", names_of(offline_methods())},
                                                                   {"option", options()}};
    std::set<std::string> seen;
    for (const OtherNames& row : other_names()) {
        ASSERT_TRUE(tables.contains(row.kind)) << row.kind;
        const std::set<std::string>& table = tables.at(row.kind);
        EXPECT_TRUE(table.contains(quoted(row.meant))) << row.meant;
        std::istringstream names{std::string(row.names)};
        for (std::string name; names >> name;) {
            EXPECT_FALSE(table.contains(name)) << name;
            EXPECT_TRUE(seen.insert(std::string(row.kind) + name).second) << name << " is there twice";
            EXPECT_EQ(meant_by(row.kind, name), row.meant) << name;
        }
    }
}

TEST(OtherNames, ErrorsNameOurSpelling) {
    const auto loss = [](const char* name) {
        return tests::refusal([&] { parse_loss(name, {.features = 2}); });
    };
    EXPECT_EQ(loss("mse"), "unknown loss 'mse'; use 'squared', which is half the squared error");
    EXPECT_NE(loss("Cross_Entropy").find("use 'logistic' for two classes"), std::string::npos);
    EXPECT_NE(loss("Huberr").find("did you mean 'huber'"), std::string::npos);
    EXPECT_NE(loss("HUBER").find("did you mean 'huber'"), std::string::npos);
    EXPECT_NE(tests::refusal([] { parse_regulariser("ridge:0.1"); }).find("use 'l2sq:W'"), std::string::npos);
}

}  // namespace
}  // namespace proxstream
