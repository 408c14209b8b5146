#include <sqlite3.h>

// A macro with a cast, which Swift does not import: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type caret_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Extended codes, which Swift does not import either: the bytes that were read are not those that were written, or are
// fewer than were asked for.
static inline int caret_sqlite_ioerr_data(void) { return SQLITE_IOERR_DATA; }
static inline int caret_sqlite_ioerr_short_read(void) { return SQLITE_IOERR_SHORT_READ; }

// A function of any number of arguments, which Swift does not import: no checkpoint when the last connection is closed.
static inline int caret_sqlite_keep_log(sqlite3 *connection) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}
