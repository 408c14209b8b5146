#include <sqlite3.h>

// A macro with a cast, which Swift does not import. It makes SQLite copy the bytes before the call returns.
static inline sqlite3_destructor_type caret_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Extended codes, which Swift does not import either: the bytes read differ from those written; fewer bytes
// were read than requested; the log's index could not grow.
static inline int caret_sqlite_ioerr_data(void) { return SQLITE_IOERR_DATA; }
static inline int caret_sqlite_ioerr_short_read(void) { return SQLITE_IOERR_SHORT_READ; }
static inline int caret_sqlite_ioerr_shm_size(void) { return SQLITE_IOERR_SHMSIZE; }

// A variadic function, which Swift does not import. It sets whether the log stays unchanged when the last
// connection is closed.
static inline int caret_sqlite_keep_log(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
