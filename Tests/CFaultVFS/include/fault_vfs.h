#ifndef FAULT_VFS_H
#define FAULT_VFS_H

#include <stdint.h>

// A layer under SQLite for tests. It records every operation on the files of a database. A plan tells it to
// make an operation fail, to kill the process, or to report a full disk. The layer stays SQLite's default VFS
// until the process ends, so it needs its own process.
//
// It watches the main database, its journal and its log. It identifies a file by the last part of its path,
// so a process can use only one folder.

/// The kinds of operations. Each kind is counted separately, over all files, from 1.
enum fault_kind {
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_OPEN,
    FAULT_TRUNCATE,
};

/// What happens at the operation that the plan selects.
enum fault_action {
    FAULT_NOTHING,
    /// The operation is not done, and reports an error.
    FAULT_ONCE,
    /// The operation fails, and so does every later one of its kind.
    FAULT_FROM_THEN_ON,
    /// SIGKILL ends the process before the operation.
    FAULT_KILL,
};

struct fault_plan {
    /// The path of the trace; null for no trace.
    const char *trace;
    /// A small file that is written without SQLite. The layer reads it before each operation and mark, and
    /// records each new content.
    const char *beside;
    enum fault_action action;
    enum fault_kind kind;
    int64_t number;
    /// The disk counts as full if all files together would have more bytes than this; 0 for no limit.
    int64_t bound;
    /// The disk counts as full if a log's index would have more regions than this; 0 for no limit, and -1 if
    /// there is no space even for the first region.
    int regions;
};

/// The kinds of records in a trace.
enum fault_record {
    /// The bytes are the file's name. The offset is 1 if the file was created.
    FAULT_OPENED = 'o',
    /// The bytes are the whole content of a file that was created without the layer. Tests treat these bytes
    /// as synced.
    FAULT_FOUND = 'f',
    /// The bytes were written at the offset.
    FAULT_WROTE = 'w',
    FAULT_SYNCED = 's',
    /// The file was truncated to the offset.
    FAULT_TRUNCATED = 't',
    /// The file was deleted. The offset is 1 if its folder was synced after that.
    FAULT_DELETED = 'd',
    /// The bytes are the text of the mark.
    FAULT_MARKED = 'm',
    /// The bytes are the whole content of the file `beside`.
    FAULT_BESIDE = 'b',
};

/// The header of a record, in the byte order of the machine. The bytes of the record follow.
struct fault_record_head {
    uint8_t record;
    /// The number of the file, in the order of first opening. Unused for a mark and for the file `beside`.
    uint8_t file;
    /// 1 if the layer made the operation fail, so that it was not done.
    uint8_t failed;
    uint8_t unused;
    uint32_t length;
    int64_t offset;
};

/// Installs the layer under SQLite. Returns 0 on success. Call it once, before any database is opened.
int fault_vfs_install(const struct fault_plan *plan);

/// Writes a mark to the trace, after the records of all earlier operations.
void fault_vfs_mark(const char *text);

/// Removes the limits, so that the disk has space again.
void fault_vfs_lift_bound(void);

/// From now on, records each successful sync, rename and link, and each write at an offset. The file at
/// `path` gets one line per call, with the path of the call's file. Returns 0 if it could create that file.
int fault_calls_record(const char *path);

/// From now on, `fsync` fails for every file whose path ends with `end`.
void fault_calls_refuse_sync(const char *end);

/// For every file whose path ends with `end`, lets this number of writes at an offset succeed. Every later
/// one fails with the `errno` `error`.
void fault_calls_refuse_write(const char *end, int error, int after);

/// Writes a text to the record of calls, if there is one.
void fault_calls_mark(const char *text);

#endif
