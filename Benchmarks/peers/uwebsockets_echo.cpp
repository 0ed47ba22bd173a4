// An echo server on uWebSockets. Prints its port.
//
//     uwebsockets-echo [takeover|no-takeover|broadcast]
//
// compresses messages with or without context takeover, or forwards each message to all other clients.
//
//     uwebsockets-echo features
//
// prints `zlib` if it can compress, which takes a build without UWS_NO_ZLIB.
#include <cstdio>
#include <string_view>

#include "App.h"

struct Client {};

int main(int argc, char **argv) {
    std::string_view mode = argc > 1 ? argv[1] : "";
    if (mode == "features") {
#ifndef UWS_NO_ZLIB
        std::puts("zlib");
#endif
        return 0;
    }
    bool isCompressed = mode.ends_with("takeover"), isBroadcast = mode == "broadcast";
    auto compression = mode == "takeover"
        ? uWS::CompressOptions(uWS::DEDICATED_COMPRESSOR | uWS::DEDICATED_DECOMPRESSOR)
        : mode == "no-takeover" ? uWS::CompressOptions(uWS::SHARED_COMPRESSOR | uWS::SHARED_DECOMPRESSOR) : uWS::DISABLED;
    uWS::App()
        .ws<Client>("/*", {
            .compression = compression,
            .maxPayloadLength = 128 << 20,
            .idleTimeout = 0,
            .maxBackpressure = 256 << 20,
            .open = [=](auto *client) { if (isBroadcast) client->subscribe("all"); },
            .message = [=](auto *client, std::string_view message, uWS::OpCode kind) {
                if (isBroadcast) {
                    client->publish("all", message, kind);
                } else {
                    client->send(message, kind, isCompressed);
                }
            },
        })
        .listen("127.0.0.1", 0, [](auto *socket) {
            if (!socket) return;
            std::printf("%d\n", us_socket_local_port(0, reinterpret_cast<us_socket_t *>(socket)));
            std::fflush(stdout);
        })
        .run();
}
