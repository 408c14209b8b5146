#ifndef CARET_CLINUX_H
#define CARET_CLINUX_H

// This header declares only functions that Swift's module for the C library lacks. A type that both modules
// declare would belong to the module that is loaded first. This header does not define _GNU_SOURCE, because
// that macro would also change types that Swift imports.
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Accepts a connection. Its descriptor is non-blocking and closed on exec. `address` is a `struct sockaddr`
/// with room for `*length` bytes, or both are null.
int caret_accept(int listener, void *address, unsigned *length);

/// Makes a pipe, whose reading end comes first. Both ends are closed on exec.
int caret_pipe(int ends[2]);

/// Creates a non-blocking timer on the monotonic clock. Returns a negative number on failure.
int caret_timer(void);

/// Makes the timer readable when the monotonic clock reaches `nanoseconds`, which must not be zero.
int caret_timer_set(int timer, uint64_t nanoseconds);

/// Swaps two files in one atomic step.
int caret_exchange(const char *path, const char *other);

/// Begins to write the bytes of an open file to disk, and does not wait. This is a hint: `fsync` must follow, and
/// reports errors.
void caret_begin_sync(int file);

/// Renames a file. Fails if a file with the new name exists.
int caret_rename_new(const char *path, const char *other);

/// Finds the device and the number of the file with this name, and asks for nothing else. Both are 0 if there is none.
/// After a `stat`, which also asks for times, Linux 6.13 and later write the file's inode at its next sync.
void caret_file_identity(const char *path, uint64_t *device, uint64_t *node);

/// The type of the file system that contains `path`, as listed in statfs(2). Negative on failure.
long caret_file_system(const char *path);

/// The number of heap bytes that are allocated and not yet freed.
size_t caret_memory_in_use(void);

/// Limits the heap from now on. There are at most `count` arenas, and each keeps at most `trim_threshold` free
/// bytes at its end. An allocation of `mapping_threshold` bytes or more gets its own memory mapping.
void caret_limit_heaps(int count, int trim_threshold, int mapping_threshold);

/// The heap keeps some memory after the program has freed it. This call returns such memory to the operating
/// system.
void caret_return_memory(void);

#endif
