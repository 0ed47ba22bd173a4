/* A library to be preloaded. The call that FAILING names fails with the error of that number: FAILING=send:105. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(const char *name) {
    const char *failing = getenv("FAILING");
    size_t length = strlen(name);
    if (!failing || strncmp(failing, name, length) != 0 || failing[length] != ':') return 0;
    errno = atoi(failing + length + 1);
    return 1;
}

ssize_t send(int socket, const void *bytes, size_t count, int flags) {
    if (fails("send")) return -1;
    return sendto(socket, bytes, count, flags, NULL, 0);
}

/* wsx asks for many bytes at once; the standard library, for the seed of its hashes, does not. */
ssize_t getrandom(void *bytes, size_t count, unsigned flags) {
    if (count > 64 && fails("getrandom")) return -1;
    ssize_t (*next)(void *, size_t, unsigned) = (ssize_t (*)(void *, size_t, unsigned))dlsym(RTLD_NEXT, "getrandom");
    return next(bytes, count, flags);
}

long syscall(long number, ...) {
    if (number == SYS_accept4 && fails("accept4")) return -1;
    long arguments[6];
    va_list list;
    va_start(list, number);
    for (int index = 0; index < 6; index += 1) arguments[index] = va_arg(list, long);
    va_end(list);
    long (*next)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    return next(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}
