// libuv for Swift: the header, and system calls that libuv has no functions for. Unless stated otherwise, functions
// return a negative libuv error on failure, which is a negated errno.
#ifndef WSX_CLIBUV_SHIM_H
#define WSX_CLIBUV_SHIM_H

#include <errno.h>
#include <uv.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <fcntl.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static inline int wsx_result(int result) { return result < 0 ? -errno : result; }

// Opens an epoll instance.
static inline int wsx_open_poller(void) { return wsx_result(epoll_create1(EPOLL_CLOEXEC)); }

// Adds (EPOLL_CTL_ADD), changes (EPOLL_CTL_MOD), or removes (EPOLL_CTL_DEL) a descriptor. Events for it carry `target`.
static inline int wsx_poll_descriptor(int poller, int operation, int descriptor, uint32_t events, void *target) {
    struct epoll_event event = {.events = events, .data = {.ptr = target}};
    return wsx_result(epoll_ctl(poller, operation, descriptor, &event));
}

// Waits for events for at most `timeout` milliseconds, or forever if it is negative. Returns the number of events.
static inline int wsx_wait_for_events(int poller, struct epoll_event *events, int capacity, int timeout) {
    int count = epoll_wait(poller, events, capacity, timeout);
    return count < 0 ? 0 : count;
}

// The structure is packed on some processors, which Swift cannot import.
static inline void *wsx_event_target(const struct epoll_event *events, int index) { return events[index].data.ptr; }
static inline uint32_t wsx_event_mask(const struct epoll_event *events, int index) { return events[index].events; }

// glibc declares it only with _GNU_SOURCE.
#ifndef POLLRDHUP
#define POLLRDHUP 0x2000
#endif

// Reads at most `capacity` bytes. Returns 0 at the end, UV_EAGAIN if there is nothing to read. Never blocks on a socket,
// even if another process that shares it has set the blocking mode.
static inline ssize_t wsx_read(int descriptor, int is_socket, void *bytes, size_t capacity) {
    ssize_t count;
    do {
        count = is_socket ? recv(descriptor, bytes, capacity, MSG_DONTWAIT) : read(descriptor, bytes, capacity);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

// Writes at most `count` bytes. Returns the number of bytes written, or UV_EAGAIN if none can be written now. Never blocks
// on a socket.
static inline ssize_t wsx_write(int descriptor, int is_socket, const void *bytes, size_t count) {
    ssize_t written;
    do {
        written = is_socket ? send(descriptor, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT) : write(descriptor, bytes, count);
    } while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : written;
}

// Opens a stream socket that does not block.
static inline int wsx_open_socket(int family) {
    return wsx_result(socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
}

// Sets an integer option of a socket.
static inline int wsx_set_option(int socket, int level, int name, int value) {
    return wsx_result(setsockopt(socket, level, name, &value, sizeof(value)));
}

// Returns an integer option of a socket.
static inline int wsx_option(int socket, int level, int name) {
    int value = 0;
    socklen_t length = sizeof(value);
    return getsockopt(socket, level, name, &value, &length) == 0 ? value : -errno;
}

static inline int wsx_bind(int socket, const struct sockaddr *address, socklen_t length) {
    return wsx_result(bind(socket, address, length));
}

// Starts connecting. Returns 1 if that takes time; the socket then becomes writable.
static inline int wsx_connect(int socket, const struct sockaddr *address, socklen_t length) {
    if (connect(socket, address, length) == 0) return 0;
    return errno == EINPROGRESS ? 1 : -errno;
}

// Accepts a connection, which does not block. Returns UV_EAGAIN if there is none. glibc declares accept4() only with
// _GNU_SOURCE.
static inline int wsx_accept(int socket) {
    long descriptor;
    do {
        descriptor = syscall(SYS_accept4, socket, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    } while (descriptor < 0 && (errno == EINTR || errno == ECONNABORTED));
    return descriptor < 0 ? -errno : (int)descriptor;
}

static inline int wsx_listen(int socket, int backlog) { return wsx_result(listen(socket, backlog)); }

// Makes a descriptor non-blocking.
static inline int wsx_stop_blocking(int descriptor) {
    int flags = fcntl(descriptor, F_GETFL);
    if (flags < 0) return -errno;
    if (flags & O_NONBLOCK) return 0;
    return wsx_result(fcntl(descriptor, F_SETFL, flags | O_NONBLOCK));
}

// The number of bytes sent on a TCP connection that the peer has not acknowledged, or 0 if unknown.
static inline int wsx_unacknowledged_bytes(int socket) {
    int count = 0;
    return ioctl(socket, SIOCOUTQ, &count) == 0 ? count : 0;
}

// The state of a stream's peer, as far as it is known without reading.
enum { WSX_PEER_IS_PRESENT, WSX_PEER_HAS_ENDED, WSX_PEER_IS_GONE };

// Returns one of these. The peer of a Unix domain socket counts as ended even if it is gone: its data is still
// readable, and writing reveals that it is gone.
static inline int wsx_peer_presence(int descriptor, int is_tcp) {
    struct pollfd request = {.fd = descriptor, .events = POLLRDHUP};
    if (poll(&request, 1, 0) <= 0) return WSX_PEER_IS_PRESENT;
    if (request.revents & (is_tcp ? POLLERR | POLLHUP : POLLERR)) return WSX_PEER_IS_GONE;
    return request.revents & (POLLRDHUP | POLLHUP) ? WSX_PEER_HAS_ENDED : WSX_PEER_IS_PRESENT;
}

// The number of received bytes that have not been read, or 0 if unknown.
static inline int wsx_unread_bytes(int descriptor) {
    int count = 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

// The CPU time of the calling thread in nanoseconds, or 0 if unknown. libuv has a function for it only since 1.50.
static inline int64_t wsx_thread_processor_time(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Opens a timer with nanosecond resolution: a descriptor that becomes readable when the timer expires. libuv's own
// timers have millisecond resolution.
static inline int wsx_open_precise_timer(void) {
    return wsx_result(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
}

// Sets the expiry time of a precise timer, in nanoseconds of uv_hrtime(), and clears an earlier expiration. 0 stops it.
static inline void wsx_set_precise_timer(int descriptor, uint64_t time) {
    struct itimerspec value = {.it_value = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &value, NULL);
}

// Sends to a socket without blocking, even in blocking mode. Other processes may share the mode, so it is not changed.
static inline ssize_t wsx_send_at_once(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_DONTWAIT);
}

// Makes glibc allocate blocks up to the given size from the heap, and keep the given amount of free memory at its end.
// Does nothing with other C libraries.
static inline void wsx_keep_freed_memory(int largest_block_bytes, int kept_bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, largest_block_bytes);
    mallopt(M_TRIM_THRESHOLD, kept_bytes);
#endif
}

// Makes glibc return free pages to the system. Does nothing with other C libraries.
static inline void wsx_trim_heap(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#endif
