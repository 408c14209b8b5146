#include <sqlite3.h>

// Swift does not import this macro, because it has a cast. It makes SQLite copy the bytes before the call
// returns.
static inline sqlite3_destructor_type caret_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// Swift does not import these extended error codes either. In order, the codes mean: the bytes read differ
// from the bytes written; fewer bytes were read than requested; the index of the write-ahead log could not
// grow.
static inline int caret_sqlite_ioerr_data(void) { return SQLITE_IOERR_DATA; }
static inline int caret_sqlite_ioerr_short_read(void) { return SQLITE_IOERR_SHORT_READ; }
static inline int caret_sqlite_ioerr_shm_size(void) { return SQLITE_IOERR_SHMSIZE; }

// Swift does not import variadic functions. This function sets whether SQLite leaves the write-ahead log
// unchanged when the last connection is closed.
static inline int caret_sqlite_keep_log(sqlite3 *connection, int keeps) {
    return sqlite3_db_config(connection, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keeps, (int *)0);
}
