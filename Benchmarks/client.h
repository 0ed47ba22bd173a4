/* What the generators in C have in common: clocks, connections, and the header of a frame. */
#ifndef WSX_BENCHMARKS_CLIENT_H
#define WSX_BENCHMARKS_CLIENT_H

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

static inline void fail(const char *what) {
    perror(what);
    exit(1);
}

static inline double seconds_of(clockid_t clock) {
    struct timespec time;
    if (clock_gettime(clock, &time)) fail("clock_gettime");
    return time.tv_sec + time.tv_nsec / 1e9;
}

static inline double now(void) { return seconds_of(CLOCK_MONOTONIC); }

/* Returns the processor time that another process has used, in seconds. */
static inline double processor_seconds(pid_t process) {
    clockid_t clock;
    if (clock_getcpuclockid(process, &clock)) fail("clock_getcpuclockid");
    return seconds_of(clock);
}

static inline void allow_many_descriptors(void) {
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

static const unsigned char masking_key[] = {0x37, 0xFA, 0x21, 0x3D};

/* Writes the header of a final frame and returns its length. `first` is the first byte: the flags and the opcode. */
static inline size_t write_header(unsigned char *target, int first, size_t payload, int masked) {
    target[0] = first;
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
        target[1] |= 0x80;
        memcpy(target + count, masking_key, 4);
        count += 4;
    }
    return count;
}

/* Connects to a port of 127.0.0.1 from the address 127.0.0.1 + source. */
static inline int connected_socket(int port, int source) {
    int one = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int descriptor = socket(AF_INET, SOCK_STREAM, 0);
    if (descriptor < 0) fail("socket");
    if (source > 0) {
        struct sockaddr_in own = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK + source)};
        /* Otherwise bind() picks a port that no other connection from this address uses, to whatever server. */
        setsockopt(descriptor, IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &one, sizeof one);
        if (bind(descriptor, (struct sockaddr *)&own, sizeof own)) fail("bind");
    }
    if (connect(descriptor, (struct sockaddr *)&address, sizeof address)) fail("connect");
    setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
    return descriptor;
}

/* Writes an upgrade request and returns its length. `fields` are more header fields, each with its line end. */
static inline int write_upgrade(char *target, size_t size, int port, const char *fields) {
    return snprintf(
        target, size,
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n%s\r\n",
        port, fields);
}

/* Reads the head of the response to an upgrade, but nothing after it. */
static inline void read_upgrade(int descriptor, char *head, size_t size) {
    size_t length = 0;
    char *end = NULL;
    while (end == NULL) {
        /* This repeats if only part of the head has arrived, which is rare. */
        ssize_t count = recv(descriptor, head, size - 1, MSG_PEEK);
        if (count <= 0) fail("upgrade");
        head[count] = 0;
        end = strstr(head, "\r\n\r\n");
        length = end ? (size_t)(end + 4 - head) : (size_t)count;
        if (end == NULL && length == size - 1) break;
    }
    if (recv(descriptor, head, length, 0) != (ssize_t)length) fail("upgrade");
    head[length] = 0;
    if (memcmp(head, "HTTP/1.1 101", 12)) {
        fprintf(stderr, "the server refused: %.40s\n", head);
        exit(1);
    }
}

/* Opens a WebSocket connection. Its number selects the address: Linux has 28,232 ports per address and server, and needs
 * longer to find a free one when more than half of them are in use. */
static inline int opened_connection(int port, int number, const char *fields, char *head, size_t size) {
    int descriptor = connected_socket(port, number / 10000);
    int count = write_upgrade(head, size, port, fields);
    if (write(descriptor, head, count) != count) fail("write");
    read_upgrade(descriptor, head, size);
    return descriptor;
}

/* Registers a descriptor for reading. */
static inline void watch(int poll, int descriptor, void *owner) {
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = owner};
    if (epoll_ctl(poll, EPOLL_CTL_ADD, descriptor, &event)) fail("epoll_ctl");
}

/* Waits for at least one event, and returns the number of events. */
static inline int wait_for_events(int poll, struct epoll_event *events, int count) {
    int ready = epoll_wait(poll, events, count, 10000);
    if (ready <= 0) {
        fprintf(stderr, "the server has stopped answering\n");
        exit(1);
    }
    return ready;
}

#endif
