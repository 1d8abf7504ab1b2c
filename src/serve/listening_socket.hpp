/// The socket that clients connect to, and the descriptors that their connections need.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace proxstream {

struct ListeningSocket {
    int socket = -1;
    std::uint16_t port = 0;
    bool version_6 = false;
};

/// Throws IoError naming address and port.
ListeningSocket listen_on(const std::string& address, std::uint16_t port);

/// Asks for as many descriptors as the system lets a process have, up to so many; how many there are.
std::size_t raise_descriptors(std::size_t wanted);

}  // namespace proxstream
