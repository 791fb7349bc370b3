/* Stands between a process and the C library, for the fault suite (spec FAULT-2).
 *
 * Loaded with LD_PRELOAD. It looks at files whose path begins with $FAULT_PREFIX only. With $FAULT_RECORD it writes
 * down every write, truncation, sync and removal in their order, so that a test can make the disks that a power cut
 * could have left. With $FAULT_NAMES it writes down as well what files are called: creations, renames, links, folders.
 * `fault_fail` makes the Nth of them fail. `fault_clock` moves the wall clock, and it alone.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#define FILES 4096
#define NEXT(name) ({ static __typeof__(&name) f; if (!f) f = (__typeof__(&name))dlsym(RTLD_NEXT, #name); f; })

enum { ON_OPEN = 1, ON_WRITE = 2, ON_SYNC = 4, ON_TRUNCATE = 8, ON_UNLINK = 16, ON_NAME = 32 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *paths[FILES];
static int record = -1;
static int fail_on, fail_errno;
static long fail_after, fail_seen;
static volatile long long clock_offset_s;

/* Make the Nth call (1 is the next) of these kinds fail with this error; 0 turns it off. Returns how many were seen. */
long fault_fail(int kinds, long n, int error) {
    long seen = fail_seen;
    fail_on = kinds; fail_after = n; fail_errno = error; fail_seen = 0;
    return seen;
}

void fault_clock(long long seconds) { clock_offset_s = seconds; }

static int watched(const char *path) {
    const char *prefix = getenv("FAULT_PREFIX");
    return prefix && path && strncmp(path, prefix, strlen(prefix)) == 0;
}

static int fails(int kind) {
    if (!(fail_on & kind) || ++fail_seen != fail_after) return 0;
    errno = fail_errno;
    return 1;
}

static void note(char kind, const char *path, long long at, const void *data, size_t size) {
    char head[4600];
    const char *to = getenv("FAULT_RECORD");
    int length;
    if (!to) return;
    pthread_mutex_lock(&lock);
    if (record < 0) record = NEXT(open)(to, O_WRONLY | O_CREAT | O_APPEND, 0600);
    length = snprintf(head, sizeof head, "%c %lld %zu %s\n", kind, at, size, path);
    if (NEXT(write)(record, head, length) != length || (size && NEXT(write)(record, data, size) != (ssize_t)size)) abort();
    pthread_mutex_unlock(&lock);
}

static void note_name(char kind, const char *path, const char *other) {
    if (getenv("FAULT_NAMES")) note(kind, path, 0, other, other ? strlen(other) : 0);
}

static const char *path_of(int fd) { return fd >= 0 && fd < FILES ? paths[fd] : NULL; }

static int opened(int fd, const char *path, int flags) {
    if (fd >= 0 && fd < FILES && watched(path)) {
        free(paths[fd]);
        paths[fd] = strdup(path);
        if ((flags & O_CREAT) && (flags & O_EXCL)) note_name('C', path, NULL);
        if (flags & O_TRUNC) note('T', path, 0, NULL, 0);
    }
    return fd;
}

#define OPEN(name) \
    int name(const char *path, int flags, ...) { \
        mode_t mode = 0; va_list more; \
        if (flags & (O_CREAT | O_TMPFILE)) { va_start(more, flags); mode = va_arg(more, mode_t); va_end(more); } \
        if (watched(path) && fails(ON_OPEN)) return -1; \
        return opened(NEXT(name)(path, flags, mode), path, flags); \
    }
OPEN(open)
OPEN(open64)

int close(int fd) {
    if (path_of(fd)) { free(paths[fd]); paths[fd] = NULL; }
    return NEXT(close)(fd);
}

static ssize_t written(int fd, const void *data, ssize_t size, long long at) {
    if (size > 0) note('W', path_of(fd), at, data, (size_t)size);
    return size;
}

#define PWRITE(name, offset) \
    ssize_t name(int fd, const void *data, size_t size, offset at) { \
        if (!path_of(fd)) return NEXT(name)(fd, data, size, at); \
        if (fails(ON_WRITE)) return -1; \
        return written(fd, data, NEXT(name)(fd, data, size, at), at); \
    }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t write(int fd, const void *data, size_t size) {
    off_t at;
    if (!path_of(fd)) return NEXT(write)(fd, data, size);
    if (fails(ON_WRITE)) return -1;
    at = lseek(fd, 0, SEEK_CUR);
    return written(fd, data, NEXT(write)(fd, data, size), at);
}

#define TRUNCATE(name, offset) \
    int name(int fd, offset size) { \
        int done; \
        if (!path_of(fd)) return NEXT(name)(fd, size); \
        if (fails(ON_TRUNCATE)) return -1; \
        done = NEXT(name)(fd, size); \
        if (done == 0) note('T', path_of(fd), size, NULL, 0); \
        return done; \
    }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

/* Fails as a change of the size does. It changes no byte of the space that a file has, so nothing is noted. */
#define ALLOCATE(name, offset) \
    int name(int fd, offset at, offset size) { \
        if (path_of(fd) && fails(ON_TRUNCATE)) return errno; \
        return NEXT(name)(fd, at, size); \
    }
ALLOCATE(posix_fallocate, off_t)
ALLOCATE(posix_fallocate64, off64_t)

#define SYNC(name) \
    int name(int fd) { \
        int done; \
        if (!path_of(fd)) return NEXT(name)(fd); \
        if (fails(ON_SYNC)) return -1; \
        done = NEXT(name)(fd); \
        if (done == 0) note('S', path_of(fd), 0, NULL, 0); \
        return done; \
    }
SYNC(fsync)
SYNC(fdatasync)

int unlink(const char *path) {
    int done;
    if (!watched(path)) return NEXT(unlink)(path);
    if (fails(ON_UNLINK)) return -1;
    done = NEXT(unlink)(path);
    if (done == 0) note('U', path, 0, NULL, 0);
    return done;
}

#define TWO_NAMES(name, kind) \
    int name(const char *path, const char *other) { \
        int done; \
        if (!watched(path)) return NEXT(name)(path, other); \
        if (fails(ON_NAME)) return -1; \
        done = NEXT(name)(path, other); \
        if (done == 0) note_name(kind, path, other); \
        return done; \
    }
TWO_NAMES(rename, 'R')
TWO_NAMES(link, 'L')

int mkdir(const char *path, mode_t mode) {
    int done;
    if (!watched(path)) return NEXT(mkdir)(path, mode);
    if (fails(ON_NAME)) return -1;
    done = NEXT(mkdir)(path, mode);
    if (done == 0) note_name('M', path, NULL);
    return done;
}

int clock_gettime(clockid_t which, struct timespec *now) {
    int done = NEXT(clock_gettime)(which, now);
    if (done == 0 && which == CLOCK_REALTIME) now->tv_sec += clock_offset_s;
    return done;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    int done = NEXT(gettimeofday)(now, zone);
    if (done == 0) now->tv_sec += clock_offset_s;
    return done;
}

time_t time(time_t *now) {
    struct timespec at;
    clock_gettime(CLOCK_REALTIME, &at);
    if (now) *now = at.tv_sec;
    return at.tv_sec;
}
