// An echo server on uWebSockets. Prints its port.
#include <cstdio>

#include "App.h"

struct Client {};

int main() {
    uWS::App()
        .ws<Client>("/*", {
            .compression = uWS::DISABLED,
            .maxPayloadLength = 128 << 20,
            .idleTimeout = 0,
            .maxBackpressure = 256 << 20,
            .message = [](auto *client, std::string_view message, uWS::OpCode kind) { client->send(message, kind); },
        })
        .listen("127.0.0.1", 0, [](auto *socket) {
            if (!socket) return;
            std::printf("%d\n", us_socket_local_port(0, reinterpret_cast<us_socket_t *>(socket)));
            std::fflush(stdout);
        })
        .run();
}
