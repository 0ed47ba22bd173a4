/* Loads an echo server with compressed messages (RFC 7692), which are prepared in advance.
 *
 *     deflate PORT CONNECTIONS SECONDS PID takeover|no-takeover FILE
 *
 * sends the lines of FILE in turn on each connection, with one message in flight. It prints the echoes per second, the
 * processor time of the server PID per message in microseconds, and the size of the echoes relative to the lines.
 *
 * The generator compresses every line once, before the measurement. It decompresses and compares the echoes of one
 * connection, and counts those of the others. So the server does nearly all of the work.
 */
#include "client.h"

#include <zlib.h>

struct connection {
    int descriptor;
    /* The next line to send, and the line that the next echo belongs to. */
    size_t next, awaited;
    /* The header of the current echo, and the number of bytes of its payload that are still to come. */
    unsigned char header[10];
    size_t header_bytes, payload_left;
};

enum { maximum_lines = 1 << 16, input_bytes = 1 << 16 };

static struct {
    unsigned char *text, *frame;
    size_t text_bytes, frame_bytes;
} lines[maximum_lines];
static size_t line_count;
static int keeps_context;

/* The echoes since the measurement began: their number, and their bytes before and after compression. */
static size_t echoes, plain_bytes, compressed_bytes;

/* The current echo of the connection whose echoes are compared. */
static unsigned char *compared;
static size_t compared_bytes;
static z_stream inflater;

static void read_lines(const char *path) {
    FILE *file = fopen(path, "r");
    if (file == NULL) fail(path);
    z_stream deflater = {0};
    deflateInit2(&deflater, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    char *line = NULL;
    size_t capacity = 0, longest = 0;
    ssize_t count;
    while ((count = getline(&line, &capacity, file)) > 0 && line_count < maximum_lines) {
        size_t text_bytes = count - 1, room = deflateBound(&deflater, text_bytes) + 16;
        unsigned char *output = malloc(room);
        deflater.next_in = (unsigned char *)line;
        deflater.avail_in = text_bytes;
        deflater.next_out = output;
        deflater.avail_out = room;
        if (deflate(&deflater, Z_SYNC_FLUSH) != Z_OK) fail("deflate");
        /* RFC 7692 §7.2.1: without the last four octets of the empty block. */
        size_t payload = room - deflater.avail_out - 4;
        /* A context restarts with the first line, which refers to nothing. So the lines can be sent over and over. */
        if (!keeps_context) deflateReset(&deflater);
        unsigned char *frame = malloc(payload + 14);
        size_t header = write_header(frame, 0xC1, payload, 1);
        for (size_t index = 0; index < payload; index++) frame[header + index] = output[index] ^ masking_key[index % 4];
        free(output);
        lines[line_count].text = malloc(text_bytes);
        memcpy(lines[line_count].text, line, text_bytes);
        lines[line_count].text_bytes = text_bytes;
        lines[line_count].frame = frame;
        lines[line_count++].frame_bytes = header + payload;
        if (text_bytes > longest) longest = text_bytes;
    }
    deflateEnd(&deflater);
    fclose(file);
    /* A server may send an echo that compression has not shortened. */
    compared = malloc(longest + 1024);
}

static void send_next(struct connection *connection) {
    ssize_t frame_bytes = lines[connection->next].frame_bytes;
    /* A single message always fits into the socket's buffer. */
    if (send(connection->descriptor, lines[connection->next].frame, frame_bytes, MSG_DONTWAIT) != frame_bytes) fail("send");
    connection->next = (connection->next + 1) % line_count;
}

static void stop(const char *problem) {
    fprintf(stderr, "deflate: %s\n", problem);
    exit(1);
}

/* Compares the current echo with its line. */
static void compare(int is_compressed, size_t number) {
    static unsigned char plain[1 << 20];
    size_t count = compared_bytes;
    const unsigned char *bytes = compared;
    if (is_compressed) {
        memcpy(compared + compared_bytes, "\0\0\xFF\xFF", 4);
        inflater.next_in = compared;
        inflater.avail_in = compared_bytes + 4;
        inflater.next_out = plain;
        inflater.avail_out = sizeof plain;
        if (inflate(&inflater, Z_SYNC_FLUSH) != Z_OK) stop("an echo cannot be decompressed");
        if (!keeps_context) inflateReset(&inflater);
        count = sizeof plain - inflater.avail_out;
        bytes = plain;
    }
    if (count != lines[number].text_bytes || memcmp(bytes, lines[number].text, count))
        stop("what came back is not what was sent");
}

/* Takes the received bytes, and sends the next message after every echo. */
static void receive(struct connection *connection, int is_compared) {
    static unsigned char input[input_bytes];
    ssize_t count = recv(connection->descriptor, input, input_bytes, MSG_DONTWAIT);
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) fail("recv");
    for (ssize_t done = 0; done < count;) {
        unsigned char *header = connection->header;
        if (connection->payload_left == 0) {
            header[connection->header_bytes++] = input[done++];
            if (connection->header_bytes < 2) continue;
            size_t length = header[1], length_bytes = length == 126 ? 2 : length == 127 ? 8 : 0;
            if (connection->header_bytes < 2 + length_bytes) continue;
            if (length_bytes) length = 0;
            for (size_t index = 0; index < length_bytes; index++) length = length << 8 | header[2 + index];
            if ((header[0] & 0xBF) != 0x81 || length == 0 || length > lines[connection->awaited].text_bytes + 16)
                stop("an unexpected frame was received");
            connection->payload_left = length;
            compressed_bytes += length;
            if (is_compared) compared_bytes = 0;
            continue;
        }
        size_t piece = connection->payload_left;
        if (piece > (size_t)(count - done)) piece = count - done;
        if (is_compared) {
            memcpy(compared + compared_bytes, input + done, piece);
            compared_bytes += piece;
        }
        done += piece;
        connection->payload_left -= piece;
        if (connection->payload_left > 0) continue;
        if (is_compared) compare(header[0] & 0x40, connection->awaited);
        connection->header_bytes = 0;
        echoes++;
        plain_bytes += lines[connection->awaited].text_bytes;
        connection->awaited = (connection->awaited + 1) % line_count;
        send_next(connection);
    }
}

static void open_compressed(struct connection *connection, int port, int number) {
    const char *fields = keeps_context
        ? "Sec-WebSocket-Extensions: permessage-deflate\r\n"
        : "Sec-WebSocket-Extensions: permessage-deflate; server_no_context_takeover; client_no_context_takeover\r\n";
    char head[4096];
    connection->descriptor = opened_connection(port, number, fields, head, sizeof head);
    if (strstr(head, "permessage-deflate") == NULL) stop("the server does not compress");
    if (keeps_context != (strstr(head, "server_no_context_takeover") == NULL)) stop("the server disagrees about the context");
}

int main(int argc, char **argv) {
    allow_many_descriptors();
    if (argc != 7) {
        fprintf(stderr, "usage: deflate PORT CONNECTIONS SECONDS PID takeover|no-takeover FILE\n");
        return 2;
    }
    int port = atoi(argv[1]), connection_count = atoi(argv[2]);
    double seconds = atof(argv[3]);
    pid_t process = atoi(argv[4]);
    keeps_context = !strcmp(argv[5], "takeover");
    read_lines(argv[6]);
    inflateInit2(&inflater, -15);
    int poll = epoll_create1(0);
    struct connection *connections = calloc(connection_count, sizeof *connections);
    for (int index = 0; index < connection_count; index++) {
        open_compressed(&connections[index], port, index);
        watch(poll, connections[index].descriptor, &connections[index]);
    }
    for (int index = 0; index < connection_count; index++) send_next(&connections[index]);
    /* A fifth of the time is a warm-up before the measurement. */
    double start = now() + seconds / 5, end = start + seconds, time, used = 0;
    int is_counting = 0;
    struct epoll_event events[512];
    while ((time = now()) < end) {
        if (!is_counting && time >= start) {
            is_counting = 1;
            start = time;
            echoes = plain_bytes = compressed_bytes = 0;
            used = processor_seconds(process);
        }
        int count = wait_for_events(poll, events, 512);
        for (int index = 0; index < count; index++) {
            struct connection *connection = events[index].data.ptr;
            receive(connection, connection == connections);
        }
    }
    used = processor_seconds(process) - used;
    printf("%.1f %.3f %.5f\n", echoes / (time - start), used / echoes * 1e6, (double)compressed_bytes / plain_bytes);
    return 0;
}
