#ifndef FAULT_VFS_H
#define FAULT_VFS_H

#include <stdint.h>

// A layer under SQLite for tests: it records what reaches the files of a database, and fails, kills or refuses as a
// plan says. It becomes SQLite's default VFS, for good, so it belongs into a process of its own.
//
// It knows the main database, its journal and its log, each by the last part of its path: one folder a process.

/// What is counted. Each kind is counted by itself, over all files, from 1.
enum fault_kind {
    FAULT_WRITE,
    FAULT_SYNC,
    FAULT_OPEN,
    FAULT_TRUNCATE,
};

/// What happens at the operation that the plan names.
enum fault_action {
    FAULT_NOTHING,
    /// It fails, and is not done.
    FAULT_ONCE,
    /// It fails, and so does every later one of its kind.
    FAULT_FROM_THEN_ON,
    /// The process ends by SIGKILL before it is done.
    FAULT_KILL,
};

struct fault_plan {
    /// Where the trace goes; no trace where this is null.
    const char *trace;
    /// A small file that is written past SQLite: the trace has each state of it that an operation or mark finds.
    const char *beside;
    enum fault_action action;
    enum fault_kind kind;
    int64_t number;
    /// How many bytes all files may hold together before the disk counts as full; 0 is no bound.
    int64_t bound;
    /// How many regions the index of a log may have before the disk counts as full; 0 is no bound.
    int regions;
};

/// What a record of the trace tells.
enum fault_record {
    /// The bytes are the file's name, and the offset is 1 where it was made.
    FAULT_OPENED = 'o',
    /// The bytes are all that the file holds, which was made past the layer, and is taken for synced.
    FAULT_FOUND = 'f',
    /// The bytes were written at the offset.
    FAULT_WROTE = 'w',
    FAULT_SYNCED = 's',
    /// The file was cut to the offset.
    FAULT_TRUNCATED = 't',
    /// The offset is 1 where the folder was synced after.
    FAULT_DELETED = 'd',
    /// The bytes are the text.
    FAULT_MARKED = 'm',
    /// The bytes are all that stands in the file beside.
    FAULT_BESIDE = 'b',
};

/// What stands in front of the bytes of a record, in the order of bytes of the machine.
struct fault_record_head {
    uint8_t record;
    /// Numbered as they were first opened. A mark and the file beside belong to none.
    uint8_t file;
    /// 1 where the operation was made to fail: it was not done.
    uint8_t failed;
    uint8_t unused;
    uint32_t length;
    int64_t offset;
};

/// Puts the layer under SQLite; 0 where that went well. To be called once, before any database is opened.
int fault_vfs_install(const struct fault_plan *plan);

/// Puts a mark into the trace, behind all that was done before.
void fault_vfs_mark(const char *text);

/// From now on the disk has space.
void fault_vfs_lift_bound(void);

/// From now on the process writes down at this path each sync, rename and link that went well, and each write at an offset,
/// with the file's path: a line each. 0 where the file could be made.
int fault_calls_record(const char *path);

/// Puts a text between them; nothing where they are not written down.
void fault_calls_mark(const char *text);

#endif
