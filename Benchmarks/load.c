/* A load generator for WebSocket servers. It opens many connections and compares every byte with the expected one.
 *
 *     load echo PORT CONNECTIONS PAYLOAD_BYTES IN_FLIGHT SECONDS
 *
 * keeps IN_FLIGHT messages in flight on each connection, and prints the number of echoes per second.
 *
 *     load fan-out PORT READERS PAYLOAD_BYTES MESSAGES
 *
 * sends messages to a server that forwards them to all readers. It sends each message after every reader has received
 * the previous one, and prints the median time per message in milliseconds.
 *
 *     load serve
 *
 * is the minimum a server has to do. It prints its port, and echoes frames of up to 125 bytes: one wait for all
 * readable connections, then one read and one write for each of them. It validates nothing.
 *
 * The generator has a single thread. It does so little per message that a server on another core is the bottleneck.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

struct connection {
    int descriptor;
    /* The position of the next received byte within the reply. */
    size_t offset;
    /* The bytes that are still to be sent, in whole messages. */
    size_t unsent;
    /* Whether epoll watches for room to send. */
    int waits_to_send;
};

static size_t frame_bytes, reply_bytes;
static unsigned char *frames, *reply, *input;
enum { input_bytes = 1 << 16 };

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec + time.tv_nsec / 1e9;
}

/* Writes the header of a final text frame and returns its length. */
static size_t write_header(unsigned char *target, size_t payload, int masked) {
    target[0] = 0x81;
    size_t count = 2;
    if (payload < 126) {
        target[1] = payload;
    } else {
        /* Two or eight bytes in network order. */
        size_t length_bytes = payload < 1 << 16 ? 2 : 8;
        target[1] = length_bytes == 2 ? 126 : 127;
        for (size_t index = 0; index < length_bytes; index++)
            target[2 + index] = (uint64_t)payload >> 8 * (length_bytes - 1 - index);
        count += length_bytes;
    }
    if (masked) {
        static const unsigned char key[] = {0x37, 0xFA, 0x21, 0x3D};
        target[1] |= 0x80;
        memcpy(target + count, key, 4);
        count += 4;
    }
    return count;
}

static void prepare(size_t payload, size_t in_flight) {
    frames = malloc((payload + 14) * in_flight);
    reply = malloc(payload + 10);
    input = malloc(input_bytes);
    size_t header = write_header(frames, payload, 1);
    size_t reply_header = write_header(reply, payload, 0);
    frame_bytes = header + payload;
    reply_bytes = reply_header + payload;
    for (size_t index = 0; index < payload; index++) {
        unsigned char byte = 'a' + index % 26;
        reply[reply_header + index] = byte;
        frames[header + index] = byte ^ frames[header - 4 + index % 4];
    }
    for (size_t number = 1; number < in_flight; number++) memcpy(frames + number * frame_bytes, frames, frame_bytes);
}

static void open_connection(struct connection *connection, int port) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    char head[4096];
    int count = snprintf(
        head, sizeof head,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        port);
    if (write(descriptor, head, count) != count) fail("write");
    size_t length = 0;
    while (length < 4 || memcmp(head + length - 4, "\r\n\r\n", 4)) {
        /* Read byte by byte, so nothing after the response is consumed. */
        if (length == sizeof head || read(descriptor, head + length, 1) != 1) fail("upgrade");
        length++;
    }
    if (memcmp(head, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "load: the server refused: %.*s\n", 40, head);
        exit(1);
    }
    *connection = (struct connection){.descriptor = descriptor};
}

static void send_more(struct connection *connection) {
    while (connection->unsent > 0) {
        /* All frames are equal, so the rest of one frame has the same position in every frame. */
        size_t cut = (frame_bytes - connection->unsent % frame_bytes) % frame_bytes;
        ssize_t count = send(connection->descriptor, frames + cut, connection->unsent, MSG_DONTWAIT);
        if (count < 0) {
            if (errno == EAGAIN) return;
            fail("send");
        }
        connection->unsent -= count;
    }
}

/* Sends what fits, and watches for room if that is not everything. */
static void send_or_wait(int poll, struct connection *connection) {
    send_more(connection);
    int waits = connection->unsent > 0;
    if (waits == connection->waits_to_send) return;
    connection->waits_to_send = waits;
    struct epoll_event event = {.events = waits ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = connection};
    epoll_ctl(poll, EPOLL_CTL_MOD, connection->descriptor, &event);
}

/* Reads the available bytes, and returns the number of messages they complete. */
static size_t receive(struct connection *connection) {
    ssize_t count = recv(connection->descriptor, input, input_bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count <= 0) fail("recv");
    size_t messages = 0;
    for (ssize_t done = 0; done < count;) {
        size_t piece = reply_bytes - connection->offset;
        if (piece > (size_t)(count - done)) piece = count - done;
        if (memcmp(input + done, reply + connection->offset, piece)) {
            fprintf(stderr, "load: what came back is not what was sent\n");
            exit(1);
        }
        done += piece;
        connection->offset += piece;
        if (connection->offset == reply_bytes) {
            connection->offset = 0;
            messages++;
        }
    }
    return messages;
}

/* Opens connections and registers them with epoll. */
static struct connection *open_connections(int poll, int port, int count) {
    struct connection *connections = calloc(count, sizeof *connections);
    for (int index = 0; index < count; index++) {
        open_connection(&connections[index], port);
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = &connections[index]};
        epoll_ctl(poll, EPOLL_CTL_ADD, connections[index].descriptor, &event);
    }
    return connections;
}

/* Waits for at least one event, and returns the number of events. */
static int wait_for_events(int poll, struct epoll_event *events, int count) {
    int ready = epoll_wait(poll, events, count, 10000);
    if (ready <= 0) {
        fprintf(stderr, "load: the server has stopped answering\n");
        exit(1);
    }
    return ready;
}

static void echo(int port, int connection_count, size_t in_flight, double seconds) {
    int poll = epoll_create1(0);
    struct connection *connections = open_connections(poll, port, connection_count);
    for (int index = 0; index < connection_count; index++) {
        connections[index].unsent = frame_bytes * in_flight;
        send_or_wait(poll, &connections[index]);
    }
    /* A fifth of the time is a warm-up before the measurement. */
    double start = now() + seconds / 5, end = start + seconds, time;
    size_t messages = 0;
    int is_counting = 0;
    struct epoll_event events[512];
    while ((time = now()) < end) {
        if (!is_counting && time >= start) {
            is_counting = 1;
            start = time;
            messages = 0;
        }
        int count = wait_for_events(poll, events, 512);
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            size_t received = receive(connection);
            messages += received;
            connection->unsent += received * frame_bytes;
            send_or_wait(poll, connection);
        }
    }
    printf("%.0f\n", messages / (time - start));
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

static void fan_out(int port, int reader_count, int message_count) {
    int poll = epoll_create1(0);
    open_connections(poll, port, reader_count);
    struct connection sender;
    open_connection(&sender, port);
    double *times = calloc(message_count, sizeof *times);
    struct epoll_event events[512];
    for (int number = 0; number < message_count; number++) {
        double begin = now();
        sender.unsent = frame_bytes;
        for (int left = reader_count; left > 0;) {
            send_more(&sender);
            int count = wait_for_events(poll, events, 512);
            for (int index = 0; index < count; index++) left -= receive(events[index].data.ptr);
        }
        times[number] = now() - begin;
    }
    qsort(times, message_count, sizeof *times, compare);
    printf("%.2f\n", times[message_count / 2] * 1000);
}

enum { served_bytes = 1 << 16 };

/* Received bytes of a connection that are not answered yet. */
struct served {
    int descriptor;
    size_t length;
    unsigned char bytes[served_bytes];
};

/* Answers the opening handshake, which always has the same key, or every complete frame, in place. */
static void answer(struct served *client) {
    static const char head[] =
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n";
    unsigned char *bytes = client->bytes;
    size_t done = 0, answered = 0;
    if (client->length > 0 && bytes[0] == 'G') {
        if (memcmp(bytes + client->length - 4, "\r\n\r\n", 4)) return;
        done = client->length;
        answered = sizeof head - 1;
        memcpy(bytes, head, answered);
    } else {
        while (client->length - done >= 6) {
            size_t payload = bytes[done + 1] & 127;
            if (client->length - done < payload + 6) break;
            unsigned char key[4];
            memcpy(key, bytes + done + 2, 4);
            bytes[answered] = bytes[done];
            bytes[answered + 1] = payload;
            for (size_t index = 0; index < payload; index++)
                bytes[answered + 2 + index] = bytes[done + 6 + index] ^ key[index % 4];
            done += payload + 6;
            answered += payload + 2;
        }
    }
    if (write(client->descriptor, bytes, answered) != (ssize_t)answered) fail("write");
    client->length -= done;
    memmove(bytes, bytes + done, client->length);
}

static void serve(void) {
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), one = 1, poll = epoll_create1(0);
    if (bind(listener, (struct sockaddr *)&address, length) || listen(listener, 512)) fail("listen");
    getsockname(listener, (struct sockaddr *)&address, &length);
    printf("%d\n", ntohs(address.sin_port));
    fflush(stdout);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL}, events[512];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    for (;;) {
        int count = epoll_wait(poll, events, 512, -1), ready = 0;
        for (int index = 0; index < count; index++) {
            struct served *client = events[index].data.ptr;
            if (client == NULL) {
                client = calloc(1, sizeof *client);
                client->descriptor = accept(listener, NULL, NULL);
                setsockopt(client->descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
                event.data.ptr = client;
                epoll_ctl(poll, EPOLL_CTL_ADD, client->descriptor, &event);
                continue;
            }
            size_t room = served_bytes - client->length;
            ssize_t received = read(client->descriptor, client->bytes + client->length, room);
            if (received <= 0) {
                close(client->descriptor);
                free(client);
                continue;
            }
            client->length += received;
            events[ready++].data.ptr = client;
        }
        for (int index = 0; index < ready; index++) answer(events[index].data.ptr);
    }
}

int main(int argc, char **argv) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    if (argc == 7 && !strcmp(argv[1], "echo")) {
        prepare(atoi(argv[4]), atoi(argv[5]));
        echo(atoi(argv[2]), atoi(argv[3]), atoi(argv[5]), atof(argv[6]));
    } else if (argc == 6 && !strcmp(argv[1], "fan-out")) {
        prepare(atoi(argv[4]), 1);
        fan_out(atoi(argv[2]), atoi(argv[3]), atoi(argv[5]));
    } else if (argc == 2 && !strcmp(argv[1], "serve")) {
        serve();
    } else {
        fprintf(stderr, "usage: load echo PORT CONNECTIONS PAYLOAD_BYTES IN_FLIGHT SECONDS\n"
                        "       load fan-out PORT READERS PAYLOAD_BYTES MESSAGES\n"
                        "       load serve\n");
        return 2;
    }
    return 0;
}
