#ifndef CARET_CLINUX_H
#define CARET_CLINUX_H

// What the C library's module for Swift lacks, and nothing that it has: a type would belong to whichever module was
// loaded first. To define _GNU_SOURCE here would change types too.
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

/// Takes a connection off a listening socket: its calls do not block, and no program that is started gets it.
/// `address` is a `struct sockaddr` with room for so many bytes, or both are null.
int caret_accept(int listener, void *address, unsigned *length);

/// A timer of the monotonic clock that does not block; negative where there is none.
int caret_timer(void);

/// Has a timer become readable at a moment that is not zero.
int caret_timer_set(int timer, uint64_t nanoseconds);

/// Has two files change places, in one step.
int caret_exchange(const char *path, const char *other);

/// Renames a file, unless there is one of the new name already.
int caret_rename_new(const char *path, const char *other);

/// The number of the kind of file system that a path lies on, as statfs(2) lists them; negative where it cannot be told.
long caret_file_system(const char *path);

/// Bytes that were asked for and are not freed.
size_t caret_memory_in_use(void);

/// From now on there are at most so many heaps, each keeps at most so many bytes at its end, and what is asked for by so
/// many and more lies in none.
void caret_bound_heaps(int count, int kept, int apart);

/// Gives what was freed, and is kept for who asks next, back to the system.
void caret_return_memory(void);

#endif
