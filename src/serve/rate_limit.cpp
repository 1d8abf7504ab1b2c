#include "serve/rate_limit.hpp"

#include <algorithm>

namespace proxstream {

double RateLimit::take(const std::string& client, double rate, double burst, Time now) {
    if (rate <= 0) return 0;
    // A bucket of less than one token would refuse every request.
    const double most = std::max(burst > 0 ? burst : rate, 1.0);
    const std::lock_guard lock(mutex_);
    const auto found = places_.find(client);
    if (found == places_.end()) {
        if (buckets_.size() >= clients_) {
            places_.erase(buckets_.front().client);
            buckets_.pop_front();
        }
        buckets_.push_back({client, most, now});
        places_[client] = std::prev(buckets_.end());
    } else {
        Bucket& bucket = *found->second;
        const double seconds = std::chrono::duration<double>(now - bucket.seen).count();
        bucket.tokens = std::min(most, bucket.tokens + std::max(seconds, 0.0) * rate);
        bucket.seen = now;
        buckets_.splice(buckets_.end(), buckets_, found->second);
    }
    Bucket& bucket = buckets_.back();
    if (bucket.tokens < 1) return (1 - bucket.tokens) / rate;
    bucket.tokens -= 1;
    return 0;
}

std::size_t RateLimit::remembered() const {
    const std::lock_guard lock(mutex_);
    return buckets_.size();
}

}  // namespace proxstream
