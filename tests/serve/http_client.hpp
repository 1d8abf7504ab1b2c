/// A client on a raw socket, for tests: it may send what no library would.
#pragma once

#include "serve/http_server.hpp"

#include <algorithm>
#include <atomic>
#include <cctype>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace proxstream::testing {

struct Answer {
    int status = 0;  // 0: there was none
    std::map<std::string, std::string> headers;
    std::string body;
};

class RawClient {
  public:
    explicit RawClient(std::uint16_t port, const char* address = "127.0.0.1", int receive_buffer = 0) {
        const bool version_6 = std::string_view(address).find(':') != std::string_view::npos;
        socket_ = socket(version_6 ? AF_INET6 : AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (receive_buffer > 0) {
            setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
        }
        if (version_6) {
            sockaddr_in6 place{};
            place.sin6_family = AF_INET6;
            place.sin6_port = htons(port);
            inet_pton(AF_INET6, address, &place.sin6_addr);
            connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
        } else {
            sockaddr_in place{};
            place.sin_family = AF_INET;
            place.sin_port = htons(port);
            inet_pton(AF_INET, address, &place.sin_addr);
            connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) == 0;
        }
    }
    RawClient(RawClient&& other) noexcept
        : socket_(std::exchange(other.socket_, -1)),
          connected_(other.connected_),
          read_(std::move(other.read_)) {}
    RawClient(const RawClient&) = delete;
    RawClient& operator=(const RawClient&) = delete;
    ~RawClient() { hang_up(); }

    bool connected() const { return connected_; }

    /// False: the server does not take it.
    bool send(std::string_view text) {
        while (!text.empty()) {
            pollfd wait{socket_, POLLOUT, 0};
            if (poll(&wait, 1, 2000) != 1) return false;
            const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent < 0) return false;
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
        return true;
    }

    void half_close() { shutdown(socket_, SHUT_WR); }
    void hang_up() {
        if (socket_ >= 0) close(std::exchange(socket_, -1));
    }
    /// Goes without a goodbye: the server sees a reset.
    void die() {
        const linger now{1, 0};
        setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
        hang_up();
    }

    /// Reads until the text has come; false: the server closed, or was silent for so long.
    bool read_until(std::string_view text, double seconds = 10) {
        while (read_.find(text) == std::string::npos) {
            if (!read_more(seconds)) return false;
        }
        return true;
    }
    /// What was read and not taken as an answer.
    std::string& read() { return read_; }

    /// The next answer; status 0: none.
    Answer answer(bool to_head = false) {
        Answer answer;
        if (!read_until("\r\n\r\n")) return answer;
        const std::size_t end = read_.find("\r\n\r\n");
        const std::string head = read_.substr(0, end + 2);
        read_.erase(0, end + 4);
        answer.status = std::atoi(head.c_str() + head.find(' '));
        std::size_t line = head.find("\r\n") + 2;
        while (line < head.size()) {
            const std::size_t line_end = head.find("\r\n", line);
            const std::size_t colon = head.find(':', line);
            std::string name = head.substr(line, colon - line);
            std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
            answer.headers[name] = head.substr(colon + 2, line_end - colon - 2);
            line = line_end + 2;
        }
        if (to_head || !answer.headers.contains("content-length")) return answer;
        const auto length = static_cast<std::size_t>(std::atoll(answer.headers["content-length"].c_str()));
        while (read_.size() < length) {
            if (!read_more(10)) return {};
        }
        answer.body = read_.substr(0, length);
        read_.erase(0, length);
        return answer;
    }
    /// The next answer, whose body may come in chunks; status 0: it did not come whole.
    Answer whole_answer() {
        Answer answer = this->answer();
        if (!answer.headers.contains("transfer-encoding")) return answer;
        for (;;) {
            if (!read_until("\r\n")) return {};
            const std::size_t size = std::strtoull(read_.c_str(), nullptr, 16);
            read_.erase(0, read_.find("\r\n") + 2);
            while (read_.size() < size + 2) {
                if (!read_more(10)) return {};
            }
            answer.body.append(read_, 0, size);
            read_.erase(0, size + 2);
            if (size == 0) return answer;
        }
    }
    Answer ask(std::string_view request) {
        send(request);
        return answer();
    }

    /// The server has closed, whatever came before.
    bool closed(double seconds = 10) {
        while (read_more(seconds)) continue;
        return at_end_;
    }

    /// Reads what is there, or waits for it; false: nothing will come, or nothing came for so long.
    bool read_more(double seconds) {
        pollfd wait{socket_, POLLIN, 0};
        if (at_end_ || poll(&wait, 1, static_cast<int>(seconds * 1000)) != 1) return false;
        char bytes[65536];
        const ssize_t size = recv(socket_, bytes, sizeof bytes, 0);
        at_end_ = size <= 0;
        if (size > 0) read_.append(bytes, static_cast<std::size_t>(size));
        return size > 0;
    }

  private:
    int socket_ = -1;
    bool connected_ = false;
    bool at_end_ = false;
    std::string read_;
};

inline std::string get(const std::string& path) {
    return "GET " + path + " HTTP/1.1\r\nHost: here\r\n\r\n";
}

inline std::string post(const std::string& path, const std::string& body) {
    return "POST " + path + " HTTP/1.1\r\nHost: here\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\n\r\n" + body;
}

inline std::string post_chunked(const std::string& path, const std::string& body) {
    char size[32];
    std::snprintf(size, sizeof size, "%zx", body.size());
    return "POST " + path + " HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n" + size + "\r\n" +
           body + "\r\n0\r\n\r\n";
}

/// Waits until it holds; false: it did not, for ten seconds.
template <class Condition>
bool eventually(Condition condition) {
    for (int i = 0; i < 5000; ++i) {
        if (condition()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return condition();
}

class StopWatch {
  public:
    double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begun_).count();
    }

  private:
    std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
};

}  // namespace proxstream::testing
