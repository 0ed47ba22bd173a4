// libuv for Swift: the header, and system calls that libuv has no functions for.
#ifndef WSX_CLIBUV_SHIM_H
#define WSX_CLIBUV_SHIM_H

#include <errno.h>
#include <uv.h>

#ifdef __linux__
#include <linux/sockios.h>
#include <sys/timerfd.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>

// The number of bytes sent on a TCP connection that the peer has not acknowledged, or 0 if unknown.
static inline int wsx_unacknowledged_bytes(const uv_tcp_t *handle) {
    uv_os_fd_t descriptor;
    int count = 0;
    if (uv_fileno((const uv_handle_t *)handle, &descriptor) != 0) return 0;
#if defined(SIOCOUTQ)
    if (ioctl(descriptor, SIOCOUTQ, &count) != 0) return 0;
#elif defined(SO_NWRITE)
    socklen_t length = sizeof(count);
    if (getsockopt(descriptor, SOL_SOCKET, SO_NWRITE, &count, &length) != 0) return 0;
#endif
    return count;
}

// Linux supports it, but glibc declares it only with _GNU_SOURCE.
#if defined(__linux__) && !defined(POLLRDHUP)
#define POLLRDHUP 0x2000
#endif

// The state of a stream's peer, as far as it is known without reading.
enum { WSX_PEER_IS_PRESENT, WSX_PEER_HAS_ENDED, WSX_PEER_IS_GONE };

// Returns one of these. libuv does not report a closed peer while it is not reading. The peer of a Unix domain socket
// counts as ended even if it is gone: its data is still readable, and writing reveals that it is gone.
static inline int wsx_peer_presence(const uv_stream_t *handle) {
    struct pollfd request = {.fd = -1};
    if (uv_fileno((const uv_handle_t *)handle, &request.fd) != 0) return WSX_PEER_IS_PRESENT;
#if defined(POLLRDHUP)
    request.events = POLLRDHUP;
    const int ended = POLLRDHUP, gone = handle->type == UV_TCP ? POLLERR | POLLHUP : POLLERR;
#else
    const int ended = POLLHUP, gone = POLLERR;
#endif
    if (poll(&request, 1, 0) <= 0) return WSX_PEER_IS_PRESENT;
    if (request.revents & gone) return WSX_PEER_IS_GONE;
    return request.revents & (ended | POLLHUP) ? WSX_PEER_HAS_ENDED : WSX_PEER_IS_PRESENT;
}

// The number of received bytes that have not been read, or 0 if unknown.
static inline int wsx_unread_bytes(const uv_stream_t *handle) {
    uv_os_fd_t descriptor;
    int count = 0;
    if (uv_fileno((const uv_handle_t *)handle, &descriptor) != 0) return 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

// The CPU time of the calling thread in nanoseconds, or 0 if unknown. libuv has a function for it only since 1.50.
static inline int64_t wsx_thread_processor_time(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Opens a timer with nanosecond resolution: a descriptor that becomes readable when the timer expires. Returns a
// negative libuv error if the system has none. libuv's own timers have millisecond resolution.
static inline int wsx_open_precise_timer(void) {
#ifdef __linux__
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return descriptor >= 0 ? descriptor : uv_translate_sys_error(errno);
#else
    return UV_ENOSYS;
#endif
}

// Sets the expiry time of a precise timer, in nanoseconds of uv_hrtime(), and clears an earlier expiration. 0 stops it.
static inline void wsx_set_precise_timer(int descriptor, uint64_t time) {
#ifdef __linux__
    struct itimerspec value = {.it_value = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &value, NULL);
#else
    (void)descriptor, (void)time;
#endif
}

// Lets several sockets of this user listen on the same port. Linux distributes connections among them; on other systems
// one socket may get all of them.
static inline int wsx_share_port(const uv_tcp_t *handle) {
    uv_os_fd_t descriptor;
    int one = 1;
    int result = uv_fileno((const uv_handle_t *)handle, &descriptor);
    if (result != 0) return result;
    return setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) == 0 ? 0 : uv_translate_sys_error(errno);
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
