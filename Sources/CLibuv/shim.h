// libuv as Swift sees it: the header, and functions for what it offers only as casts.
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

// The bytes that the kernel has taken for a TCP connection and the other machine has not acknowledged; 0 where that
// cannot be told. libuv has no function for it.
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

// Linux has it, but glibc hides it from all who do not ask for GNU's extensions.
#if defined(__linux__) && !defined(POLLRDHUP)
#define POLLRDHUP 0x2000
#endif

// What can be known of the other end of a stream without reading from it.
enum { WSX_PEER_IS_PRESENT, WSX_PEER_HAS_ENDED, WSX_PEER_IS_GONE };

// One of these. libuv tells nothing of a stream that it does not read. The other end of a Unix-domain socket counts as
// one that has ended, though it may be gone: what it sent before is all there, and writing will tell.
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

// The bytes that the other end of a stream has sent and that nobody has read; 0 where that cannot be told.
static inline int wsx_unread_bytes(const uv_stream_t *handle) {
    uv_os_fd_t descriptor;
    int count = 0;
    if (uv_fileno((const uv_handle_t *)handle, &descriptor) != 0) return 0;
    return ioctl(descriptor, FIONREAD, &count) == 0 ? count : 0;
}

// The processor time of the calling thread, in nanoseconds; 0 where that cannot be told. libuv tells it since 1.50.
static inline int64_t wsx_thread_processor_time(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// A timer that is told the time to the nanosecond, as a descriptor that can be read when its time has come; a negative
// error of libuv where there is none. libuv's own timers count milliseconds.
static inline int wsx_open_precise_timer(void) {
#ifdef __linux__
    int descriptor = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    return descriptor >= 0 ? descriptor : uv_translate_sys_error(errno);
#else
    return UV_ENOSYS;
#endif
}

// Sets the time (of uv_hrtime, more than 0) of a precise timer, or none with 0; what it had to say before is forgotten.
static inline void wsx_set_precise_timer(int descriptor, uint64_t time) {
#ifdef __linux__
    struct itimerspec value = {.it_value = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &value, NULL);
#else
    (void)descriptor, (void)time;
#endif
}

// Lets several sockets of this user listen on a port, between which the kernel deals out what comes (Linux). Elsewhere the
// first to be asked may get it all.
static inline int wsx_share_port(const uv_tcp_t *handle) {
    uv_os_fd_t descriptor;
    int one = 1;
    int result = uv_fileno((const uv_handle_t *)handle, &descriptor);
    if (result != 0) return result;
    return setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) == 0 ? 0 : uv_translate_sys_error(errno);
}

// Sends to a socket without waiting, whatever its mode, which others may share.
static inline ssize_t wsx_send_at_once(int socket, const void *bytes, size_t count) {
    return send(socket, bytes, count, MSG_DONTWAIT);
}

// Has glibc's heap hold blocks of up to so many bytes, and keep so many free ones; nothing, where there is another.
static inline void wsx_keep_freed_memory(int largest_block_bytes, int kept_bytes) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, largest_block_bytes);
    mallopt(M_TRIM_THRESHOLD, kept_bytes);
#endif
}

// Has glibc's heap give its free pages back; nothing, where there is another.
static inline void wsx_trim_heap(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

#endif
