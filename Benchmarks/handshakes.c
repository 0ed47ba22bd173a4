/* Opens and closes connections as fast as a server allows, 64 at a time.
 *
 *     handshakes upgrade PORT SECONDS PID
 *
 * connects, upgrades to WebSocket, sends a close frame, and waits for the server's close frame and the end.
 *
 *     handshakes http PORT SECONDS PID
 *
 * connects, requests /index.txt with `Connection: close`, and reads the response to the end of the connection.
 *
 *     handshakes https PORT SECONDS PID
 *
 * does the same over TLS 1.3 with X25519, without resumption.
 *
 * Each prints the connections per second, and the processor time of the server PID per connection in microseconds.
 */
#include "client.h"

#include <fcntl.h>
#include <openssl/ssl.h>

enum { client_count = 64, source_count = 200, room_bytes = 4096 };

enum mode { upgrade, http, https };

enum state { shaking_hands, reading_head, reading_rest };

struct client {
    int descriptor;
    enum state state;
    SSL *session;
    size_t length;
    char bytes[room_bytes];
};

static enum mode mode;
static int port, poll_descriptor, started;
static SSL_CTX *context;
static char request[512];
static int request_bytes;

static void refuse(const char *what, struct client *client) {
    client->bytes[client->length] = 0;
    fprintf(stderr, "%s: %.60s\n", what, client->bytes);
    exit(1);
}

static void send_all(int descriptor, const void *bytes, int count) {
    if (send(descriptor, bytes, count, MSG_NOSIGNAL) != count) fail("send");
}

/* Opens a connection. Each one has another address, so closed ones never keep a port from being used again. */
static void start(struct client *client) {
    client->descriptor = connected_socket(port, 1 + started++ % source_count);
    client->length = 0;
    fcntl(client->descriptor, F_SETFL, O_NONBLOCK);
    watch(poll_descriptor, client->descriptor, client);
    if (mode == https) {
        client->state = shaking_hands;
        client->session = SSL_new(context);
        SSL_set_fd(client->session, client->descriptor);
        /* Sends the ClientHello. */
        SSL_connect(client->session);
    } else {
        client->state = reading_head;
        send_all(client->descriptor, request, request_bytes);
    }
}

static void finish(struct client *client) {
    if (client->session) SSL_free(client->session);
    client->session = NULL;
    close(client->descriptor);
}

/* Reads what has arrived. Returns whether the connection has ended. */
static int has_ended(struct client *client) {
    for (;;) {
        size_t room = room_bytes - 1 - client->length;
        char *target = client->bytes + client->length;
        if (client->session) {
            int count = SSL_read(client->session, target, room);
            if (count <= 0) {
                int error = SSL_get_error(client->session, count);
                if (error == SSL_ERROR_WANT_READ) return 0;
                if (error == SSL_ERROR_ZERO_RETURN) return 1;
                refuse("the connection was lost", client);
            }
            client->length += count;
        } else {
            ssize_t count = recv(client->descriptor, target, room, 0);
            if (count < 0 && errno == EAGAIN) return 0;
            if (count < 0) fail("recv");
            if (count == 0) return 1;
            client->length += count;
        }
    }
}

/* Continues with what has arrived. Returns whether the exchange is complete. */
static int advance(struct client *client) {
    if (client->state == shaking_hands) {
        int result = SSL_connect(client->session);
        if (result != 1) {
            if (SSL_get_error(client->session, result) != SSL_ERROR_WANT_READ) refuse("no TLS handshake", client);
            return 0;
        }
        SSL_write(client->session, request, request_bytes);
        client->state = reading_rest;
        return 0;
    }
    int ended = has_ended(client);
    if (client->state == reading_head) {
        client->bytes[client->length] = 0;
        char *end = strstr(client->bytes, "\r\n\r\n");
        if (end == NULL) {
            if (ended) refuse("the server refused", client);
            return 0;
        }
        if (mode == upgrade) {
            if (memcmp(client->bytes, "HTTP/1.1 101", 12)) refuse("the server refused", client);
            /* A masked close frame with the code 1000. */
            unsigned char frame[8];
            write_header(frame, 0x88, 2, 1);
            frame[6] = 0x03 ^ masking_key[0];
            frame[7] = 0xE8 ^ masking_key[1];
            send_all(client->descriptor, frame, sizeof frame);
            client->length = 0;
        }
        client->state = reading_rest;
    }
    if (!ended) return 0;
    if (mode == upgrade) {
        if (client->length != 4 || memcmp(client->bytes, "\x88\x02\x03\xE8", 4)) refuse("no close frame", client);
    } else if (memcmp(client->bytes, "HTTP/1.1 200", 12)) {
        refuse("the server refused", client);
    }
    return 1;
}

static void measure(double seconds, pid_t process) {
    static struct client clients[client_count];
    struct epoll_event events[client_count];
    poll_descriptor = epoll_create1(0);
    for (int index = 0; index < client_count; index++) start(&clients[index]);
    /* A fifth of the time is a warm-up before the measurement. */
    double begin = now() + seconds / 5, end = begin + seconds, time, used = 0;
    size_t finished = 0;
    int is_counting = 0;
    while ((time = now()) < end) {
        if (!is_counting && time >= begin) {
            is_counting = 1;
            begin = time;
            finished = 0;
            used = processor_seconds(process);
        }
        int count = wait_for_events(poll_descriptor, events, client_count);
        for (int index = 0; index < count; index++) {
            struct client *client = events[index].data.ptr;
            if (!advance(client)) continue;
            finish(client);
            finished++;
            start(client);
        }
    }
    used = processor_seconds(process) - used;
    printf("%.1f %.3f\n", finished / (time - begin), used / finished * 1e6);
}

int main(int argc, char **argv) {
    static const char *const modes[] = {"upgrade", "http", "https"};
    int number = 0;
    while (number < 3 && (argc != 5 || strcmp(argv[1], modes[number]))) number++;
    if (number == 3) {
        fprintf(stderr, "usage: handshakes upgrade|http|https PORT SECONDS PID\n");
        return 2;
    }
    mode = number;
    port = atoi(argv[2]);
    if (mode == https) {
        context = SSL_CTX_new(TLS_client_method());
        SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION);
        SSL_CTX_set1_groups_list(context, "X25519");
        SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    }
    request_bytes = mode == upgrade
        ? write_upgrade(request, sizeof request, port, "")
        : snprintf(
            request, sizeof request, "GET /index.txt HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n\r\n", port);
    measure(atof(argv[3]), atoi(argv[4]));
    return 0;
}
