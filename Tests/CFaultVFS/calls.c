// Replaces some system calls in the process that links this file, and records the calls in order. With the
// record a test checks what a disk must keep, because only synced data is certain to survive.

#define _LARGEFILE64_SOURCE 1

#include "fault_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int calls = -1;
static char refused[256];

static void note(const char *call, const char *path) {
    char line[4352];
    int length = snprintf(line, sizeof line, "%s %s\n", call, path);
    if (length > 0) syscall(SYS_write, calls, line, (size_t)length);
}

static void note_file(const char *call, int file) {
    if (calls < 0 || file == calls) return;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return;
    path[length] = 0;
    note(call, path);
}

int fault_calls_record(const char *path) {
    calls = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
    return calls < 0 ? -1 : 0;
}

void fault_calls_mark(const char *text) {
    if (calls >= 0) syscall(SYS_write, calls, text, strlen(text));
}

void fault_calls_refuse_sync(const char *end) { snprintf(refused, sizeof refused, "%s", end); }

static int is_refused(int file) {
    if (refused[0] == 0) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1), end = (ssize_t)strlen(refused);
    return length >= end && memcmp(path + length - end, refused, (size_t)end) == 0;
}

int fsync(int file) {
    if (is_refused(file)) {
        errno = EIO;
        return -1;
    }
    int code = (int)syscall(SYS_fsync, file);
    if (code == 0) note_file("sync", file);
    return code;
}

int fdatasync(int file) {
    int code = (int)syscall(SYS_fdatasync, file);
    if (code == 0) note_file("sync", file);
    return code;
}

ssize_t pwrite64(int file, const void *bytes, size_t count, off64_t offset) {
    note_file("write", file);
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    note_file("write", file);
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

int link(const char *from, const char *to) {
    int code = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (code == 0 && calls >= 0) note("link", to);
    return code;
}

int rename(const char *from, const char *to) {
    int code = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (code == 0 && calls >= 0) note("rename", to);
    return code;
}
