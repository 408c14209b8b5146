#include "fault_vfs.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

enum { most_files = 8, kinds = 4, most_beside = 256 };

/// A file that the layer watches. The last part of the file's path identifies it in the whole process.
struct watched {
    char name[64];
    int64_t size;
    /// Whether the trace has the whole content of the file.
    int known;
};

// `lock` protects all variables below. It is also held during each operation, so that the trace has the
// operations in their order.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct fault_plan plan;
static int trace = -1;
static int64_t counts[kinds];
static struct watched files[most_files];
static int file_count;
static char beside[most_beside];
static ssize_t beside_length;

static sqlite3_vfs *base;

/// An open file, as SQLite sees it. In memory, the file object of the base VFS comes right after it.
struct fault_file {
    sqlite3_file file;
    /// The index in `files`; -1 if the file is not watched.
    int watched;
};

static sqlite3_file *real(sqlite3_file *file) { return (sqlite3_file *)((struct fault_file *)file + 1); }

static int watched(sqlite3_file *file) { return ((struct fault_file *)file)->watched; }

// The trace

/// Ends the process, because with an incomplete trace the tests would report a fault of the store.
static void stop(const char *why) {
    if (write(STDERR_FILENO, why, strlen(why)) < 0) {
    }
    abort();
}

static void put(uint8_t record, int file, int failed, int64_t offset, const void *bytes, uint32_t length) {
    if (trace < 0) return;
    struct fault_record_head head = {record, (uint8_t)file, (uint8_t)failed, 0, length, offset};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
    if (writev(trace, parts, 2) != (ssize_t)(sizeof head + length)) stop("the trace cannot be written\n");
}

/// Records the content of the file `plan.beside` if it has changed since its last record.
static void look_beside(void) {
    if (trace < 0 || plan.beside == NULL) return;
    int file = open(plan.beside, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    char now[most_beside];
    ssize_t length = read(file, now, sizeof now);
    close(file);
    if (length < 0 || (length == beside_length && memcmp(now, beside, (size_t)length) == 0)) return;
    memcpy(beside, now, (size_t)length);
    beside_length = length;
    put(FAULT_BESIDE, 0, 0, 0, now, (uint32_t)length);
}

// The plan

/// Counts an operation before it is done. Returns 1 if the plan says that the operation must fail.
static int strikes(enum fault_kind kind) {
    look_beside();
    int64_t number = ++counts[kind];
    if (kind != plan.kind || number < plan.number) return 0;
    switch (plan.action) {
    case FAULT_NOTHING: return 0;
    case FAULT_ONCE: return number == plan.number;
    case FAULT_FROM_THEN_ON: return 1;
    case FAULT_KILL: kill(getpid(), SIGKILL); return 1;
    }
    return 0;
}

static int is_beyond_bound(int file, int64_t end) {
    if (plan.bound == 0 || end <= files[file].size) return 0;
    int64_t sum = end - files[file].size;
    for (int each = 0; each < file_count; each++) sum += files[each].size;
    return sum > plan.bound;
}

/// The index of the watched file with this path. Adds the file if it is new.
static int watch(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *name = slash == NULL ? path : slash + 1;
    for (int each = 0; each < file_count; each++) {
        if (strcmp(files[each].name, name) == 0) return each;
    }
    if (file_count == most_files || strlen(name) >= sizeof files[0].name) stop("too many files to watch\n");
    strcpy(files[file_count].name, name);
    return file_count++;
}

// The file methods whose calls the layer records

static int file_write(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 offset) {
    int at = watched(file);
    if (at < 0) return real(file)->pMethods->xWrite(real(file), bytes, count, offset);
    pthread_mutex_lock(&lock);
    int code;
    if (strikes(FAULT_WRITE)) {
        put(FAULT_WROTE, at, 1, offset, NULL, 0);
        code = SQLITE_IOERR_WRITE;
    } else if (is_beyond_bound(at, offset + count)) {
        code = SQLITE_FULL;
    } else {
        code = real(file)->pMethods->xWrite(real(file), bytes, count, offset);
        if (code == SQLITE_OK) {
            put(FAULT_WROTE, at, 0, offset, bytes, (uint32_t)count);
            if (offset + count > files[at].size) files[at].size = offset + count;
        }
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int file_truncate(sqlite3_file *file, sqlite3_int64 size) {
    int at = watched(file);
    if (at < 0) return real(file)->pMethods->xTruncate(real(file), size);
    pthread_mutex_lock(&lock);
    int code = SQLITE_IOERR_TRUNCATE;
    int fails = strikes(FAULT_TRUNCATE);
    if (!fails) code = real(file)->pMethods->xTruncate(real(file), size);
    if (fails || code == SQLITE_OK) put(FAULT_TRUNCATED, at, fails, size, NULL, 0);
    if (code == SQLITE_OK) files[at].size = size;
    pthread_mutex_unlock(&lock);
    return code;
}

static int file_sync(sqlite3_file *file, int flags) {
    int at = watched(file);
    if (at < 0) return real(file)->pMethods->xSync(real(file), flags);
    pthread_mutex_lock(&lock);
    int code = SQLITE_IOERR_FSYNC;
    int fails = strikes(FAULT_SYNC);
    if (!fails) code = real(file)->pMethods->xSync(real(file), flags);
    if (fails || code == SQLITE_OK) put(FAULT_SYNCED, at, fails, flags, NULL, 0);
    pthread_mutex_unlock(&lock);
    return code;
}

// The file methods that only call the same method of the base VFS

static int file_close(sqlite3_file *file) {
    int code = real(file)->pMethods->xClose(real(file));
    file->pMethods = NULL;
    return code;
}

static int file_read(sqlite3_file *file, void *bytes, int count, sqlite3_int64 offset) {
    return real(file)->pMethods->xRead(real(file), bytes, count, offset);
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size) {
    return real(file)->pMethods->xFileSize(real(file), size);
}

static int file_lock(sqlite3_file *file, int level) { return real(file)->pMethods->xLock(real(file), level); }

static int file_unlock(sqlite3_file *file, int level) { return real(file)->pMethods->xUnlock(real(file), level); }

static int file_is_reserved(sqlite3_file *file, int *answer) {
    return real(file)->pMethods->xCheckReservedLock(real(file), answer);
}

static int file_control(sqlite3_file *file, int operation, void *argument) {
    return real(file)->pMethods->xFileControl(real(file), operation, argument);
}

static int file_sector_size(sqlite3_file *file) { return real(file)->pMethods->xSectorSize(real(file)); }

static int file_characteristics(sqlite3_file *file) {
    return real(file)->pMethods->xDeviceCharacteristics(real(file));
}

static int file_shm_map(sqlite3_file *file, int region, int size, int extend, void volatile **address) {
    pthread_mutex_lock(&lock);
    int is_limited = plan.regions < 0 || (plan.regions > 0 && region >= plan.regions);
    int is_full = extend && is_limited && watched(file) >= 0;
    pthread_mutex_unlock(&lock);
    if (is_full) {
        errno = ENOSPC;
        return SQLITE_IOERR_SHMSIZE;
    }
    return real(file)->pMethods->xShmMap(real(file), region, size, extend, address);
}

static int file_shm_lock(sqlite3_file *file, int offset, int count, int flags) {
    return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}

static void file_shm_barrier(sqlite3_file *file) { real(file)->pMethods->xShmBarrier(real(file)); }

static int file_shm_unmap(sqlite3_file *file, int delete) {
    return real(file)->pMethods->xShmUnmap(real(file), delete);
}

/// Version 2 has no methods that map a file into memory. The layer would not see changes that SQLite makes
/// through mapped memory.
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_is_reserved,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

// The methods of the VFS

static int open_real(const char *name, sqlite3_file *file, int flags, int *answered) {
    // If the base VFS fails before it opens the file, this stays null, and the file is not closed.
    real(file)->pMethods = NULL;
    int code = base->xOpen(base, name, real(file), flags, answered);
    if (code == SQLITE_OK) {
        file->pMethods = &methods;
    } else if (real(file)->pMethods != NULL) {
        real(file)->pMethods->xClose(real(file));
    }
    return code;
}

/// Records the content of a file that was created without the layer.
static void put_found(sqlite3_file *file, int at) {
    if (trace < 0) return;
    void *bytes = malloc((size_t)files[at].size + 1);
    if (bytes == NULL) stop("no memory for the content of an existing file\n");
    int count = (int)files[at].size;
    if (count > 0 && real(file)->pMethods->xRead(real(file), bytes, count, 0) != SQLITE_OK) {
        stop("an existing file cannot be read\n");
    }
    put(FAULT_FOUND, at, 0, 0, bytes, (uint32_t)count);
    free(bytes);
}

static int open_watched(const char *name, sqlite3_file *file, int flags, int *answered) {
    int is_there = 0;
    int code = base->xAccess(base, name, SQLITE_ACCESS_EXISTS, &is_there);
    if (code != SQLITE_OK) return code;
    int at = ((struct fault_file *)file)->watched = watch(name);
    if (strikes(FAULT_OPEN)) {
        put(FAULT_OPENED, at, 1, 0, files[at].name, (uint32_t)strlen(files[at].name));
        return SQLITE_CANTOPEN;
    }
    code = open_real(name, file, flags, answered);
    if (code != SQLITE_OK) return code;
    put(FAULT_OPENED, at, 0, !is_there, files[at].name, (uint32_t)strlen(files[at].name));
    code = real(file)->pMethods->xFileSize(real(file), (sqlite3_int64 *)&files[at].size);
    if (is_there && !files[at].known) put_found(file, at);
    files[at].known = 1;
    return code;
}

static int vfs_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *answered) {
    (void)vfs;
    file->pMethods = NULL;
    ((struct fault_file *)file)->watched = -1;
    int kept = SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
    if (name == NULL || (flags & kept) == 0) return open_real(name, file, flags, answered);
    pthread_mutex_lock(&lock);
    int code = open_watched(name, file, flags, answered);
    pthread_mutex_unlock(&lock);
    return code;
}

static int vfs_delete(sqlite3_vfs *vfs, const char *name, int sync_folder) {
    (void)vfs;
    pthread_mutex_lock(&lock);
    look_beside();
    int code = base->xDelete(base, name, sync_folder);
    if (code == SQLITE_OK) {
        int at = watch(name);
        files[at].size = 0;
        put(FAULT_DELETED, at, 0, sync_folder != 0, NULL, 0);
    }
    pthread_mutex_unlock(&lock);
    return code;
}

static int vfs_access(sqlite3_vfs *vfs, const char *name, int flags, int *answer) {
    (void)vfs;
    return base->xAccess(base, name, flags, answer);
}

static int vfs_full_path(sqlite3_vfs *vfs, const char *name, int count, char *path) {
    (void)vfs;
    return base->xFullPathname(base, name, count, path);
}

static void *vfs_dl_open(sqlite3_vfs *vfs, const char *name) {
    (void)vfs;
    return base->xDlOpen(base, name);
}

static void vfs_dl_error(sqlite3_vfs *vfs, int count, char *message) {
    (void)vfs;
    base->xDlError(base, count, message);
}

static void (*vfs_dl_symbol(sqlite3_vfs *vfs, void *library, const char *name))(void) {
    (void)vfs;
    return base->xDlSym(base, library, name);
}

static void vfs_dl_close(sqlite3_vfs *vfs, void *library) {
    (void)vfs;
    base->xDlClose(base, library);
}

static int vfs_randomness(sqlite3_vfs *vfs, int count, char *bytes) {
    (void)vfs;
    return base->xRandomness(base, count, bytes);
}

static int vfs_sleep(sqlite3_vfs *vfs, int microseconds) {
    (void)vfs;
    return base->xSleep(base, microseconds);
}

static int vfs_time(sqlite3_vfs *vfs, double *now) {
    (void)vfs;
    return base->xCurrentTime(base, now);
}

static int vfs_last_error(sqlite3_vfs *vfs, int count, char *message) {
    (void)vfs;
    return base->xGetLastError(base, count, message);
}

static int vfs_time_in_milliseconds(sqlite3_vfs *vfs, sqlite3_int64 *now) {
    (void)vfs;
    return base->xCurrentTimeInt64(base, now);
}

static sqlite3_vfs layer = {
    .iVersion = 2,
    .zName = "caret-faults",
    .xOpen = vfs_open,
    .xDelete = vfs_delete,
    .xAccess = vfs_access,
    .xFullPathname = vfs_full_path,
    .xDlOpen = vfs_dl_open,
    .xDlError = vfs_dl_error,
    .xDlSym = vfs_dl_symbol,
    .xDlClose = vfs_dl_close,
    .xRandomness = vfs_randomness,
    .xSleep = vfs_sleep,
    .xCurrentTime = vfs_time,
    .xGetLastError = vfs_last_error,
    .xCurrentTimeInt64 = vfs_time_in_milliseconds,
};

int fault_vfs_install(const struct fault_plan *wanted) {
    base = sqlite3_vfs_find(NULL);
    if (base == NULL || base->iVersion < 2) return 1;
    plan = *wanted;
    if (plan.beside != NULL) plan.beside = strdup(plan.beside);
    if (plan.trace != NULL) {
        trace = open(plan.trace, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0600);
        if (trace < 0) return 1;
    }
    layer.szOsFile = (int)sizeof(struct fault_file) + base->szOsFile;
    layer.mxPathname = base->mxPathname;
    return sqlite3_vfs_register(&layer, 1) == SQLITE_OK ? 0 : 1;
}

void fault_vfs_mark(const char *text) {
    pthread_mutex_lock(&lock);
    look_beside();
    put(FAULT_MARKED, 0, 0, 0, text, (uint32_t)strlen(text));
    pthread_mutex_unlock(&lock);
}

void fault_vfs_lift_bound(void) {
    pthread_mutex_lock(&lock);
    plan.bound = 0;
    plan.regions = 0;
    pthread_mutex_unlock(&lock);
}
