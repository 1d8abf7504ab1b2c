/// Exceptions for settings, data and files. Numerical trouble is a status (RoundStatus), never an exception.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace proxstream {

/// The base class of every exception that the library throws. Catch it to handle all of them; what() says
/// what is wrong and what to do about it.
///
/// \code
/// try {
///     parse_regulariser("l1:-1");
/// } catch (const Error& error) {
///     std::cerr << error.what() << '\n';
/// }
/// \endcode
class Error : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// Thrown for settings and arguments that cannot be used. It carries every violation found, not only the
/// first; what() has one line for each.
///
/// \code
/// try {
///     OnlineLearner learner({.dimension = 3, .tolerance = -1});
/// } catch (const ConfigError& error) {
///     for (const std::string& violation : error.violations()) std::cerr << violation << '\n';
/// }
/// \endcode
class ConfigError : public Error {
  public:
    /// For one violation, a sentence.
    explicit ConfigError(std::string violation);
    /// For several violations, each a sentence.
    explicit ConfigError(std::vector<std::string> violations);
    /// Every violation, in the order found.
    const std::vector<std::string>& violations() const noexcept { return violations_; }

  private:
    std::vector<std::string> violations_;
};

/// Runs `check` and appends the violations of a ConfigError that it throws to `violations`, each behind the
/// option's name unless that is empty. Returns false if `check` threw one. Other exceptions pass through.
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

/// Where in the input a value stands, for error messages. Line and column are counted from 1; 0 means "not
/// known". Example: examples/05_ledger.cpp
struct DataLocation {
    std::string source;        ///< file name, or a name for standard input or memory
    std::uint64_t line = 0;    ///< counted from 1; 0: not known
    std::uint64_t column = 0;  ///< number of the field in its row, counted from 1; 0: not known
    std::string field;         ///< name of the field, if it has one
};

/// Thrown for a file or record whose content is wrong. The message says where, what was found and what was
/// expected; where() gives the place. Example: examples/05_ledger.cpp
class DataError : public Error {
  public:
    /// `expected` may be empty: the message then names the problem alone.
    DataError(DataLocation where, const std::string& problem, const std::string& expected);
    /// The place of the wrong value.
    const DataLocation& where() const noexcept { return where_; }

  private:
    DataLocation where_;
};

/// Thrown when the operating system refuses: a file cannot be opened, a disk is full. The message names the
/// path, the action that failed and the system's reason.
///
/// \code
/// try {
///     const NetworkFile file = open_network("missing.tntp");
/// } catch (const IoError& error) {
///     std::cerr << error.what() << '\n';
/// }
/// \endcode
class IoError : public Error {
  public:
    /// `error_number` is the value of errno.
    IoError(const std::string& path, const std::string& action, int error_number);
    /// The value of errno.
    int error_number() const noexcept { return error_number_; }

  private:
    int error_number_;
};

}  // namespace proxstream
