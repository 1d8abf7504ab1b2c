/// What can go wrong before numbers are involved: settings, data and files. Numerical trouble is a
/// status (RoundStatus), never an exception.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Settings that cannot be used. Carries every violation found, not only the first.
class ConfigError : public Error {
  public:
    explicit ConfigError(std::string violation);
    explicit ConfigError(std::vector<std::string> violations);
    const std::vector<std::string>& violations() const noexcept { return violations_; }

  private:
    std::vector<std::string> violations_;
};

/// Runs `check` and keeps what it refuses, behind the option's name unless it says that itself. False: it
/// refused something.
template <class Check>
bool collect(std::vector<std::string>& violations, std::string_view option, Check check) {
    try {
        check();
        return true;
    } catch (const ConfigError& error) {
        for (const std::string& violation : error.violations()) {
            violations.push_back(option.empty() ? violation : std::string(option) + ": " + violation);
        }
        return false;
    }
}

/// Where in the input a value stands. Line and column are counted from 1; 0 means "not known".
struct DataLocation {
    std::string source;  // file name, or "<stdin>"
    std::uint64_t line = 0;
    std::uint64_t column = 0;  // the field's number in its row
    std::string field;         // the field's name, if it has one
};

/// A row or file that does not say what it should.
class DataError : public Error {
  public:
    DataError(DataLocation where, const std::string& problem, const std::string& expected);
    const DataLocation& where() const noexcept { return where_; }

  private:
    DataLocation where_;
};

/// The operating system refused: a file cannot be opened, a disk is full.
class IoError : public Error {
  public:
    IoError(const std::string& path, const std::string& action, int error_number);
};

}  // namespace proxstream
