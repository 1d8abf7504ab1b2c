/// How many requests a second a client may make: a bucket of tokens each.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <string>
#include <unordered_map>

namespace proxstream {

class RateLimit {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// So many clients are remembered; beyond, the one that was not seen for longest is forgotten, which for
    /// it is a full bucket.
    explicit RateLimit(std::size_t clients) : clients_(clients) {}

    /// Takes a token of the client's. Seconds until there is one again; 0: there was one.
    double take(const std::string& client, double rate, double burst, Time now);
    std::size_t remembered() const;

  private:
    struct Bucket {
        std::string client;
        double tokens;
        Time seen;
    };

    std::size_t clients_;
    mutable std::mutex mutex_;
    std::list<Bucket> buckets_;  // by when they were seen last
    std::unordered_map<std::string, std::list<Bucket>::iterator> places_;
};

}  // namespace proxstream
