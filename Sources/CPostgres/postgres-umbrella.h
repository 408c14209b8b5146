#include <postgresql/libpq-fe.h>

// Swift does not import these macros, because they are characters. They name the fields of an error.
static inline int caret_pg_sqlstate(void) { return PG_DIAG_SQLSTATE; }
static inline int caret_pg_primary_message(void) { return PG_DIAG_MESSAGE_PRIMARY; }
static inline int caret_pg_severity(void) { return PG_DIAG_SEVERITY_NONLOCALIZED; }
