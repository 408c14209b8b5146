#include <sqlite3.h>

// A macro with a cast, which Swift does not import: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type caret_sqlite_transient(void) { return SQLITE_TRANSIENT; }

// An extended code, which Swift does not import either: the bytes that were read are not those that were written.
static inline int caret_sqlite_ioerr_data(void) { return SQLITE_IOERR_DATA; }
