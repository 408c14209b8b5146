// Reports synchronization to the thread sanitizer that it does not see in Swift on Linux. `scripts/test --sanitize
// thread` preloads this library into every program, so that no report has to be suppressed. It wraps functions of
// Swift's libraries that order two threads. Each wrapper reports its own ordering and nothing else.
//
// `Mutex`: a lock without contention is acquired and released by an atomic exchange that is compiled into our code, and
// the sanitizer sees that. A contended lock changes owner inside the library Synchronization, through the kernel. The
// sanitizer does not see that, and would report every access that such a lock protects.
//
// Continuations: resuming one reports to the sanitizer for its task, and a suspended task reports when it continues. A
// task that is resumed before it suspends continues at once, inside the library, without a report. The sanitizer would
// report reads of the value that the task was resumed with. This happens in our optimized code; in other code, and for
// an `AsyncStream`, the library awaits by itself.
//
// Copies: the only owner of an array changes it in place. The library knows the only owner by the reference count. The
// sanitizer would report earlier reads by owners that have released their copy.

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))
#define ASYNC __attribute__((swiftasynccall))
#define CONTEXT __attribute__((swift_async_context))

// `_MutexHandle._lockSlow(UInt32)` and `_MutexHandle._unlockSlow()`.
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"
#define AWAIT "swift_continuation_await"

typedef SWIFT void (*Lock)(uint32_t thread, SELF void *handle);
typedef SWIFT void (*Unlock)(SELF void *handle);

struct continuation;
typedef ASYNC void (*Resume)(CONTEXT struct continuation *continuation);
typedef ASYNC void (*Await)(struct continuation *continuation);

// The start of the context of a continuation.
struct continuation {
    void *parent;
    Resume resume;
};

// Functions of the sanitizer and of the library. A program that runs beside the tests may not have them.
__attribute__((weak)) void __tsan_acquire(void *address);
__attribute__((weak)) void __tsan_release(void *address);
__attribute__((weak)) SWIFT void *swift_task_getCurrent(void);

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

// The function that continues the task of this thread. It is valid from the call of `AWAIT` until the library
// has decided whether the task suspends. A suspended task continues with the function that the library has
// stored.
static _Thread_local Resume going_on;

static ASYNC void resumed(CONTEXT struct continuation *continuation) {
    Resume go_on = going_on;
    if (__tsan_acquire) __tsan_acquire(swift_task_getCurrent());
    __attribute__((musttail)) return go_on(continuation);
}

ASYNC void await(struct continuation *continuation) __asm__(AWAIT);

ASYNC void await(struct continuation *continuation) {
    Await await = (Await)next(AWAIT);
    going_on = continuation->resume;
    continuation->resume = resumed;
    __attribute__((musttail)) return await(continuation);
}

typedef void (*Release)(void *object);
typedef void (*ReleaseMany)(void *object, uint32_t count);
typedef bool (*IsUnique)(void *object);

// Cached, because these functions are called often.
static Release release;
static ReleaseMany release_many;
static IsUnique is_unique;

static void find_counts(void) {
    release_many = (ReleaseMany)next("swift_release_n");
    is_unique = (IsUnique)next("swift_isUniquelyReferenced_nonNull_native");
    release = (Release)next("swift_release");
}

// Releasing the last reference needs no report, because no other thread can read the object afterwards.
static void tell_release(void *object) {
    if (!release) find_counts();
    if ((intptr_t)object > 0 && __tsan_release && !is_unique(object)) __tsan_release(object);
}

void swift_release(void *object) {
    tell_release(object);
    release(object);
}

void swift_release_n(void *object, uint32_t count) {
    tell_release(object);
    release_many(object, count);
}

bool swift_isUniquelyReferenced_nonNull_native(void *object) {
    if (!release) find_counts();
    bool unique = is_unique(object);
    if (unique && __tsan_acquire) __tsan_acquire(object);
    return unique;
}
