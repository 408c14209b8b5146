// What the thread sanitizer is not told of Swift's `Mutex` on Linux. `scripts/test --sanitize thread` has every program
// that it starts load this, so that no report has to be suppressed for it.
//
// A lock that nobody else holds is taken and given back by an atomic exchange that is compiled into our own code, and
// the sanitizer sees that. A lock that somebody waits for changes hands inside the library Synchronization, by way of
// the kernel, and the sanitizer sees nothing: it would report all that such a lock protects. So the two functions of
// the library that do this are called through here.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

// `_MutexHandle._lockSlow(UInt32)` and `_MutexHandle._unlockSlow()`.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*Unlock)(SELF void *handle);

// Those of the sanitizer; a program that is run beside the tests may be without it.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);

static void *next(const char *name) {
    void *found = dlsym(RTLD_NEXT, name);
    if (!found) abort();
    return found;
}

SWIFT void lock_slow(uint32_t thread, SELF void *handle) __asm__(LOCK);
SWIFT void unlock_slow(SELF void *handle) __asm__(UNLOCK);

SWIFT void lock_slow(uint32_t thread, SELF void *handle) {
    ((Lock)next(LOCK))(thread, handle);
    if (__tsan_acquire) __tsan_acquire(handle);
}

SWIFT void unlock_slow(SELF void *handle) {
    if (__tsan_release) __tsan_release(handle);
    ((Unlock)next(UNLOCK))(handle);
}
