// System calls for Swift. Unless stated otherwise, functions return a negated errno on failure.
#ifndef WSX_CSYSTEM_H
#define WSX_CSYSTEM_H

#include <errno.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
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

// glibc declares these only with _GNU_SOURCE.
#ifndef POLLRDHUP
#define POLLRDHUP 0x2000
#endif
#ifndef EAI_NODATA
#define EAI_NODATA -5
#define EAI_ADDRFAMILY -9
#endif

// Reads at most `capacity` bytes. Returns 0 at the end, -EAGAIN if there is nothing to read. Never blocks on a socket,
// even if another process that shares it has set the blocking mode.
static inline ssize_t wsx_read(int descriptor, int is_socket, void *bytes, size_t capacity) {
    ssize_t count;
    do {
        count = is_socket ? recv(descriptor, bytes, capacity, MSG_DONTWAIT) : read(descriptor, bytes, capacity);
    } while (count < 0 && errno == EINTR);
    return count < 0 ? -errno : count;
}

// Writes at most `count` bytes. Returns the number of bytes written, or -EAGAIN if none can be written now.
static inline ssize_t wsx_write(int descriptor, const void *bytes, size_t count) {
    ssize_t written;
    do {
        written = write(descriptor, bytes, count);
    } while (written < 0 && errno == EINTR);
    return written < 0 ? -errno : written;
}

// Like wsx_write, but for a socket, and never blocks. With `more_follows`, TCP may hold bytes that do not fill a packet
// until more bytes, or the end, are sent.
static inline ssize_t wsx_send(int socket, const void *bytes, size_t count, int more_follows) {
    ssize_t written;
    do {
        written = send(socket, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT | (more_follows ? MSG_MORE : 0));
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

// Returns the process that connected a Unix domain socket, or a negative error. glibc declares the type of the option, whose
// first member is the process, only with _GNU_SOURCE.
static inline int wsx_peer_process(int socket) {
    int credentials[3] = {0};
    socklen_t length = sizeof(credentials);
    return getsockopt(socket, SOL_SOCKET, SO_PEERCRED, credentials, &length) == 0 ? credentials[0] : -errno;
}

static inline int wsx_bind(int socket, const struct sockaddr *address, socklen_t length) {
    return wsx_result(bind(socket, address, length));
}

// Starts connecting. Returns 1 if that takes time; the socket then becomes writable.
static inline int wsx_connect(int socket, const struct sockaddr *address, socklen_t length) {
    if (connect(socket, address, length) == 0) return 0;
    return errno == EINPROGRESS ? 1 : -errno;
}

// Accepts a connection, which does not block, and stores its peer's address, even if the peer has disconnected. Returns
// -EAGAIN if there is none. glibc declares accept4() only with _GNU_SOURCE.
static inline int wsx_accept(int socket, struct sockaddr *address, socklen_t *length) {
    long descriptor;
    do {
        descriptor = syscall(SYS_accept4, socket, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
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

// The CPU time of the calling thread in nanoseconds, or 0 if unknown.
static inline int64_t wsx_thread_processor_time(void) {
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) != 0) return 0;
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// The monotonic time in nanoseconds.
static inline uint64_t wsx_monotonic_time(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

// Opens a descriptor that becomes readable at a given time.
static inline int wsx_open_alarm(void) {
    return wsx_result(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC));
}

// Sets the time of an alarm, in nanoseconds of wsx_monotonic_time() and not 0, and clears an earlier expiration.
static inline void wsx_set_alarm(int descriptor, uint64_t time) {
    struct itimerspec value = {.it_value = {.tv_sec = time / 1000000000, .tv_nsec = time % 1000000000}};
    timerfd_settime(descriptor, TFD_TIMER_ABSTIME, &value, NULL);
}

// Opens a descriptor that other threads and signal handlers can make readable.
static inline int wsx_open_event(void) { return wsx_result(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)); }

// Makes an event descriptor readable. Async-signal-safe.
static inline void wsx_set_event(int descriptor) {
    uint64_t one = 1;
    ssize_t written = write(descriptor, &one, sizeof(one));
    (void)written;
}

// Opens both ends of a pipe, which block.
int wsx_open_pipe(int ends[2]);

// Fills a buffer with random bytes.
static inline int wsx_fill_randomly(void *bytes, size_t count) {
    while (count > 0) {
        ssize_t filled = getrandom(bytes, count, 0);
        if (filled < 0 && errno == EINTR) continue;
        if (filled < 0) return -errno;
        bytes = (char *)bytes + filled;
        count -= filled;
    }
    return 0;
}

// Starts a thread that handles no signals. Returns 0 or a negated error number.
int wsx_start_thread(pthread_t *thread, void *(*body)(void *), void *argument);

// Calls wsx_set_event(descriptor) for each of the process's signals of this number, from now on. Returns -ENOSPC if too
// many descriptors watch signals. After SIGTERM or SIGHUP, which end the process, the system no longer stops it if it uses
// its terminal from the background.
int wsx_watch_signal(int number, int descriptor);

// Ends that. Restores the default action of the signal if no descriptor watches it any more.
void wsx_unwatch_signal(int number, int descriptor);

// Whether one of the signals of this number since the last call came from a process, and not from the kernel, such as from
// a terminal. Known for signals that are, or were, watched.
int wsx_take_signal_of_process(int number);

// Returns the environment of the process.
char **wsx_environment(void);

// Removes a directory and everything in it, as far as possible. Does not follow symbolic links.
void wsx_remove_tree(const char *path);

// Starts a program. It has the default actions of all signals, except that without a session of its own, it ignores the
// SIGHUP, SIGINT, and SIGQUIT that the process ignores, as a program that a shell starts does. It has no blocked signals,
// and only the given descriptors, as its standard streams. Returns its process ID. If `environment` or `descriptor_limit`
// is NULL, it inherits that of the process.
int wsx_start_program(
    const char *name, char *const arguments[], char *const environment[], const int streams[3], int leads_session,
    const struct rlimit *descriptor_limit);

// Opens a descriptor that becomes readable when a child process exits (Linux 5.3).
static inline int wsx_open_process(int process) {
#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif
    return wsx_result((int)syscall(SYS_pidfd_open, process, 0));
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
