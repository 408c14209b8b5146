#include <sqlite3.h>

// A macro with a cast, which Swift does not import: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type caret_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Extended codes, which Swift does not import either: the bytes that were read are not those that were written, or are
// fewer than were asked for; the index of the log cannot grow.
static inline int caret_sqlite_ioerr_data(void) { return SQLITE_IOERR_DATA; }
static inline int caret_sqlite_ioerr_short_read(void) { return SQLITE_IOERR_SHORT_READ; }
static inline int caret_sqlite_ioerr_shm_size(void) { return SQLITE_IOERR_SHMSIZE; }

// A function of any number of arguments, which Swift does not import: whether the log stays as it is when the last
// connection is closed.
static inline int caret_sqlite_keep_log(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
