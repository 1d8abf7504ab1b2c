/// Limits the requests a second of each client, by a bucket of tokens for each.
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

    /// `clients`: the most clients with a bucket. With one more, the client that was seen longest ago loses
    /// its bucket, which is full again by then.
    explicit RateLimit(std::size_t clients) : clients_(clients) {}

    /// Takes a token of the client. Returns 0, or the seconds until it has one again.
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
    std::list<Bucket> buckets_;  // the one seen last is at the end
    std::unordered_map<std::string, std::list<Bucket>::iterator> places_;
};

}  // namespace proxstream
