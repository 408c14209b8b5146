// What the thread sanitizer is not told of Swift on Linux. `scripts/test --sanitize thread` has every program that it
// starts load this, so that no report has to be suppressed for it: the functions of Swift's libraries by which one thread
// comes behind another are called through here. Each tells of its own order and of nothing else.
//
// Of `Mutex`: a lock that nobody else holds is taken and given back by an atomic exchange that is compiled into our own
// code, and the sanitizer sees that. A lock that somebody waits for changes hands inside the library Synchronization, by
// way of the kernel, and the sanitizer sees nothing: it would report all that such a lock protects.
//
// Of continuations: whoever resumes one tells the sanitizer, on behalf of its task, and a task that had stopped to wait
// tells it when it goes on. A task that is resumed before it stops goes on at once, inside the library, which forgets to
// tell: the sanitizer would report what the task was resumed with. That is so where our own code is optimized;
// elsewhere, and for an `AsyncStream`, the library awaits on its own.
//
// Of copies: who changes an array, and is the only one to have it, changes it in place. That it is the only one is known
// by the count of references, which the library keeps: the sanitizer would report those who read their copy of the array
// and gave it up before.

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

// How the context of one begins.
struct continuation {
    void *parent;
    Resume resume;
};

// Those of the sanitizer and of the library; a program that is run beside the tests may be without them.
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

// What the task of this thread goes on with, from its call of `AWAIT` until that has decided: a task that stops goes on
// with what the library itself has noted.
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

// Kept, since they are called so often.
static Release release;
static ReleaseMany release_many;
static IsUnique is_unique;

static void find_counts(void) {
    release_many = (ReleaseMany)next("swift_release_n");
    is_unique = (IsUnique)next("swift_isUniquelyReferenced_nonNull_native");
    release = (Release)next("swift_release");
}

// Who gives up the last reference leaves nobody behind whom this could be told.
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
