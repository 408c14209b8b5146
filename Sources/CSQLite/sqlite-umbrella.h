#include <sqlite3.h>

// A macro with a cast, which Swift does not import: SQLite copies the bytes before the call returns.
static inline sqlite3_destructor_type caret_sqlite_transient(void) { return SQLITE_TRANSIENT; }
