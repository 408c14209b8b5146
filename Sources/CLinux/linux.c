#define _GNU_SOURCE
#include "CLinux.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <sys/timerfd.h>
#include <unistd.h>

int caret_accept(int listener, void *address, unsigned *length) {
    return accept4(listener, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC);
}

int caret_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int caret_timer(void) { return timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC); }

int caret_timer_set(int timer, uint64_t nanoseconds) {
    struct itimerspec time = {.it_value = {nanoseconds / 1000000000, nanoseconds % 1000000000}};
    return timerfd_settime(timer, TFD_TIMER_ABSTIME, &time, NULL);
}

int caret_exchange(const char *path, const char *other) {
    return renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_EXCHANGE);
}

void caret_begin_sync(int file) { (void)sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE); }

int caret_rename_new(const char *path, const char *other) {
    if (renameat2(AT_FDCWD, path, AT_FDCWD, other, RENAME_NOREPLACE) == 0) return 0;
    // NFS does not support RENAME_NOREPLACE, so a hard link is used there. vfat has no hard links, but it
    // supports RENAME_NOREPLACE.
    if (errno != EINVAL && errno != ENOSYS) return -1;
    return link(path, other) == 0 ? unlink(path) : -1;
}

void caret_file_identity(const char *path, uint64_t *device, uint64_t *node) {
    struct statx found;
    if (statx(AT_FDCWD, path, 0, STATX_INO, &found) == 0 && found.stx_mask & STATX_INO) {
        *device = makedev(found.stx_dev_major, found.stx_dev_minor);
        *node = found.stx_ino;
        return;
    }
    // Some sandboxes refuse statx, and some file systems do not answer it.
    struct stat status;
    int is_there = stat(path, &status) == 0;
    *device = is_there ? status.st_dev : 0;
    *node = is_there ? status.st_ino : 0;
}

long caret_file_system(const char *path) {
    struct statfs status;
    return statfs(path, &status) == 0 ? (long)status.f_type : -1;
}

size_t caret_memory_in_use(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

void caret_limit_heaps(int count, int trim_threshold, int mapping_threshold) {
    mallopt(M_ARENA_MAX, count);
    mallopt(M_TRIM_THRESHOLD, trim_threshold);
    mallopt(M_MMAP_THRESHOLD, mapping_threshold);
}

void caret_return_memory(void) { malloc_trim(0); }
