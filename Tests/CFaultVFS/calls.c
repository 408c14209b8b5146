// Replaces some system calls in the process that links this file, and records the calls in order. Only synced
// data is certain to survive a power loss. So a test reads the record to check that the store's data was
// synced in the right order.

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
static char unwritable[256];
static int write_error, writes_left;

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

void fault_calls_refuse_write(const char *end, int error, int after) {
    snprintf(unwritable, sizeof unwritable, "%s", end);
    write_error = error;
    writes_left = after;
}

static int has_path_end(int file, const char *text) {
    if (text[0] == 0) return 0;
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1), end = (ssize_t)strlen(text);
    return length >= end && memcmp(path + length - end, text, (size_t)end) == 0;
}

static ssize_t write_at(int file, const void *bytes, size_t count, off64_t offset) {
    if (has_path_end(file, unwritable) && writes_left-- <= 0) {
        errno = write_error;
        return -1;
    }
    note_file("write", file);
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

int fsync(int file) {
    if (has_path_end(file, refused)) {
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
    return write_at(file, bytes, count, offset);
}

ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset) {
    return write_at(file, bytes, count, offset);
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
