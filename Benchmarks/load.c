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
 *     load cost PORT CONNECTIONS PAYLOAD_BYTES IN_FLIGHT SECONDS PID
 *
 * is like `echo`, but prints `ready` when all connections are open, and starts at the end of its input. It prints the
 * echoes per second, the processor time of the server PID per message in microseconds, and, with one message in flight,
 * the median and the 99th percentile of the round trips in milliseconds.
 *
 *     load hold PORT CONNECTIONS
 *
 * opens connections, prints `ready`, and keeps them open until the end of its input.
 *
 *     load serve
 *
 * is the minimum a server has to do. It prints its port, and echoes frames of up to 125 bytes: one wait for all
 * readable connections, then one read and one write for each of them. It validates nothing.
 *
 * The generator has a single thread. It does so little per message that a server on another core is the bottleneck.
 */
#include "client.h"

struct connection {
    int descriptor;
    /* The position of the next received byte within the reply. */
    size_t offset;
    /* The bytes that are still to be sent, in whole messages. */
    size_t unsent;
    /* Whether epoll watches for room to send. */
    int waits_to_send;
    /* When the message in flight was sent. */
    double sent;
    /* Bytes of a ping that are still to come, or -1 before its length. */
    int ping_left;
};

static size_t frame_bytes, reply_bytes;
static unsigned char *frames, *reply, *input;
enum { input_bytes = 1 << 16 };

static void prepare(size_t payload, size_t in_flight) {
    frames = malloc((payload + 14) * in_flight);
    reply = malloc(payload + 10);
    input = malloc(input_bytes);
    size_t header = write_header(frames, 0x81, payload, 1);
    size_t reply_header = write_header(reply, 0x81, payload, 0);
    frame_bytes = header + payload;
    reply_bytes = reply_header + payload;
    for (size_t index = 0; index < payload; index++) {
        unsigned char byte = 'a' + index % 26;
        reply[reply_header + index] = byte;
        frames[header + index] = byte ^ frames[header - 4 + index % 4];
    }
    for (size_t number = 1; number < in_flight; number++) memcpy(frames + number * frame_bytes, frames, frame_bytes);
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

/* Ends the program with the first received bytes that differ from the reply. */
static void report_difference(const unsigned char *received, size_t offset, size_t count) {
    size_t index = 0;
    while (received[index] == reply[offset + index]) index++;
    fprintf(stderr, "load: what came back differs from what was sent at byte %zu of %zu:", offset + index, reply_bytes);
    for (size_t end = index + 16; index < count && index < end; index++) fprintf(stderr, " %02x", received[index]);
    fprintf(stderr, "\n");
    exit(1);
}

/* Reads the available bytes, and returns the number of messages they complete. */
static size_t receive(struct connection *connection) {
    ssize_t count = recv(connection->descriptor, input, input_bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return 0;
    if (count <= 0) fail("recv");
    size_t messages = 0;
    for (ssize_t done = 0; done < count;) {
        /* A server may ping a client that does not read. */
        if (connection->offset == 0 && (connection->ping_left || input[done] == 0x89)) {
            if (connection->ping_left == 0) connection->ping_left = -1;
            else if (connection->ping_left < 0) connection->ping_left = input[done];
            else connection->ping_left--;
            done++;
            continue;
        }
        size_t piece = reply_bytes - connection->offset;
        if (piece > (size_t)(count - done)) piece = count - done;
        if (memcmp(input + done, reply + connection->offset, piece)) {
            report_difference(input + done, connection->offset, piece);
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
        char head[4096];
        connections[index].descriptor = opened_connection(port, index, "", head, sizeof head);
        watch(poll, connections[index].descriptor, &connections[index]);
    }
    return connections;
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *)a - *(const double *)b;
    return (difference > 0) - (difference < 0);
}

/* Tells the caller that all connections are open, and waits for the end of the input. */
static void report_ready(void) {
    char byte;
    puts("ready");
    fflush(stdout);
    while (read(STDIN_FILENO, &byte, 1) > 0) {}
}

/* The durations of round trips, in seconds. */
static struct {
    double *items;
    size_t count, capacity;
} round_trips;

static void record_round_trip(double seconds) {
    if (round_trips.count == round_trips.capacity) {
        round_trips.capacity = round_trips.capacity ? round_trips.capacity * 2 : 1 << 16;
        round_trips.items = realloc(round_trips.items, round_trips.capacity * sizeof *round_trips.items);
    }
    round_trips.items[round_trips.count++] = seconds;
}

/* Measures echoes. With a process, it measures its processor time and the round trips, too. */
static void echo(int port, int connection_count, size_t in_flight, double seconds, pid_t process) {
    int poll = epoll_create1(0), is_timed = process && in_flight == 1;
    struct connection *connections = open_connections(poll, port, connection_count);
    if (process) report_ready();
    for (int index = 0; index < connection_count; index++) {
        connections[index].unsent = frame_bytes * in_flight;
        connections[index].sent = now();
        send_or_wait(poll, &connections[index]);
    }
    /* A fifth of the time is a warm-up before the measurement. */
    double start = now() + seconds / 5, end = start + seconds, time, used = 0;
    size_t messages = 0;
    int is_counting = 0;
    struct epoll_event events[512];
    while ((time = now()) < end) {
        if (!is_counting && time >= start) {
            is_counting = 1;
            start = time;
            messages = round_trips.count = 0;
            if (process) used = processor_seconds(process);
        }
        int count = wait_for_events(poll, events, 512);
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            size_t received = receive(connection);
            messages += received;
            connection->unsent += received * frame_bytes;
            if (received && is_timed) {
                double received_at = now();
                record_round_trip(received_at - connection->sent);
                connection->sent = received_at;
            }
            send_or_wait(poll, connection);
        }
    }
    printf("%.3f", messages / (time - start));
    if (process) printf(" %.3f", (processor_seconds(process) - used) / messages * 1e6);
    if (is_timed && round_trips.count) {
        qsort(round_trips.items, round_trips.count, sizeof *round_trips.items, compare);
        printf(
            " %.4f %.4f", round_trips.items[round_trips.count / 2] * 1e3,
            round_trips.items[(size_t)(round_trips.count * 0.99)] * 1e3);
    }
    puts("");
}

static void fan_out(int port, int reader_count, int message_count) {
    int poll = epoll_create1(0);
    open_connections(poll, port, reader_count);
    char head[4096];
    struct connection sender = {.descriptor = opened_connection(port, reader_count, "", head, sizeof head)};
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
    allow_many_descriptors();
    const char *mode = argc > 1 ? argv[1] : "";
    if ((argc == 7 && !strcmp(mode, "echo")) || (argc == 8 && !strcmp(mode, "cost"))) {
        prepare(atoi(argv[4]), atoi(argv[5]));
        echo(atoi(argv[2]), atoi(argv[3]), atoi(argv[5]), atof(argv[6]), argc == 8 ? atoi(argv[7]) : 0);
    } else if (argc == 6 && !strcmp(mode, "fan-out")) {
        prepare(atoi(argv[4]), 1);
        fan_out(atoi(argv[2]), atoi(argv[3]), atoi(argv[5]));
    } else if (argc == 4 && !strcmp(mode, "hold")) {
        open_connections(epoll_create1(0), atoi(argv[2]), atoi(argv[3]));
        report_ready();
    } else if (argc == 2 && !strcmp(mode, "serve")) {
        serve();
    } else {
        fprintf(stderr, "usage: load echo PORT CONNECTIONS PAYLOAD_BYTES IN_FLIGHT SECONDS\n"
                        "       load fan-out PORT READERS PAYLOAD_BYTES MESSAGES\n"
                        "       load cost PORT CONNECTIONS PAYLOAD_BYTES IN_FLIGHT SECONDS PID\n"
                        "       load hold PORT CONNECTIONS\n"
                        "       load serve\n");
        return 2;
    }
    return 0;
}
