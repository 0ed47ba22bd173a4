#define _GNU_SOURCE
#include "CSystem.h"

#include <ftw.h>
#include <signal.h>
#include <stdatomic.h>

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#ifndef CLOSE_RANGE_CLOEXEC
#define CLOSE_RANGE_CLOEXEC (1U << 2)
#endif

int wsx_open_pipe(int ends[2]) { return wsx_result(pipe2(ends, O_CLOEXEC)); }

int wsx_start_thread(pthread_t *thread, void *(*body)(void *), void *argument) {
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    int error = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    return -error;
}

// Signals

struct watch {
    _Atomic int number;
    _Atomic int descriptor;
};

enum { WATCH_CAPACITY = 64 };
// An unused entry has the number 0.
static struct watch watches[WATCH_CAPACITY];
static pthread_mutex_t watches_lock = PTHREAD_MUTEX_INITIALIZER;

// Whether a process has sent the signal since this was last asked.
static _Atomic int is_from_process[NSIG];

static void note_signal(int number, siginfo_t *information, void *context) {
    (void)context;
    int saved_errno = errno;
    if (information->si_code <= 0) is_from_process[number] = 1;
    // The process ends. From now on, the system does not stop it if it uses its terminal from the background.
    if (number == SIGTERM || number == SIGHUP) {
        signal(SIGTTIN, SIG_IGN);
        signal(SIGTTOU, SIG_IGN);
    }
    for (int index = 0; index < WATCH_CAPACITY; index += 1) {
        if (watches[index].number == number) wsx_set_event(watches[index].descriptor);
    }
    errno = saved_errno;
}

static int set_action(int number, int is_watched) {
    struct sigaction action = {.sa_flags = SA_RESTART};
    if (is_watched) {
        action.sa_sigaction = note_signal;
        action.sa_flags |= SA_SIGINFO;
    } else {
        action.sa_handler = SIG_DFL;
    }
    sigfillset(&action.sa_mask);
    return wsx_result(sigaction(number, &action, NULL));
}

// Only the thread that handles signals may call this (see wsx_start_thread): the handler must not run meanwhile, or the
// descriptor may belong to something else when it writes.
static int change_watches(int (*change)(int, int), int number, int descriptor) {
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    pthread_mutex_lock(&watches_lock);
    int result = change(number, descriptor);
    pthread_mutex_unlock(&watches_lock);
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    return result;
}

static int add_watch(int number, int descriptor) {
    for (int index = 0; index < WATCH_CAPACITY; index += 1) {
        if (watches[index].number != 0) continue;
        watches[index].descriptor = descriptor;
        watches[index].number = number;
        int result = set_action(number, 1);
        if (result < 0) watches[index].number = 0;
        return result;
    }
    return -ENOSPC;
}

static int remove_watch(int number, int descriptor) {
    int is_watched = 0;
    for (int index = 0; index < WATCH_CAPACITY; index += 1) {
        if (watches[index].number != number) continue;
        if (watches[index].descriptor == descriptor) {
            watches[index].number = 0;
        } else {
            is_watched = 1;
        }
    }
    return is_watched ? 0 : set_action(number, 0);
}

int wsx_watch_signal(int number, int descriptor) { return change_watches(add_watch, number, descriptor); }

void wsx_unwatch_signal(int number, int descriptor) { change_watches(remove_watch, number, descriptor); }

int wsx_take_signal_of_process(int number) { return atomic_exchange(&is_from_process[number], 0); }

// Programs

char **wsx_environment(void) { return environ; }

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place) {
    (void)status, (void)kind, (void)place;
    remove(path);
    return 0;
}

void wsx_remove_tree(const char *path) { nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS); }

// Only async-signal-safe functions: other threads may hold locks. Returns only if the program cannot be started.
static void become_program(
    const char *name, char *const arguments[], char *const environment[], const int streams[3], int leads_session,
    const struct rlimit *descriptor_limit) {
    for (int number = 1; number < NSIG; number += 1) {
        if (number == SIGKILL || number == SIGSTOP) continue;
        int is_ignored = signal(number, SIG_DFL) == SIG_IGN;
        int is_of_shell = number == SIGHUP || number == SIGINT || number == SIGQUIT;
        if (is_ignored && is_of_shell && !leads_session) signal(number, SIG_IGN);
    }
    if (leads_session) setsid();
    // A stream may have the number of another one's target. The others need no copy.
    int copies[3];
    for (int index = 0; index < 3; index += 1) {
        copies[index] = streams[index] < 3 ? fcntl(streams[index], F_DUPFD_CLOEXEC, 3) : streams[index];
        if (copies[index] < 0) return;
    }
    for (int index = 0; index < 3; index += 1) {
        if (dup2(copies[index], index) < 0) return;
    }
    // Whoever started this process may have passed descriptors that stay open.
    if (syscall(SYS_close_range, 3, ~0U, CLOSE_RANGE_CLOEXEC) < 0) {
        // Linux before 5.11.
        struct rlimit limit = {0};
        getrlimit(RLIMIT_NOFILE, &limit);
        for (rlim_t number = 3; number < limit.rlim_cur; number += 1) fcntl((int)number, F_SETFD, FD_CLOEXEC);
    }
    // Last: no descriptor can be opened above the limit.
    if (descriptor_limit) setrlimit(RLIMIT_NOFILE, descriptor_limit);
    sigset_t none;
    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    if (environment) environ = (char **)environment;
    execvp(name, arguments);
}

int wsx_start_program(
    const char *name, char *const arguments[], char *const environment[], const int streams[3], int leads_session,
    const struct rlimit *descriptor_limit) {
    // The child reports its error. If it becomes the program, the pipe closes.
    int report[2];
    int result = wsx_open_pipe(report);
    if (result < 0) return result;
    sigset_t all, previous;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &previous);
    int process = wsx_result(fork());
    if (process == 0) {
        become_program(name, arguments, environment, streams, leads_session, descriptor_limit);
        int error = errno;
        ssize_t written = write(report[1], &error, sizeof(error));
        (void)written;
        _exit(127);
    }
    pthread_sigmask(SIG_SETMASK, &previous, NULL);
    close(report[1]);
    int error = 0;
    if (process > 0 && wsx_read(report[0], 0, &error, sizeof(error)) == sizeof(error)) {
        while (waitpid(process, NULL, 0) < 0 && errno == EINTR) {}
        process = -error;
    }
    close(report[0]);
    return process;
}
