#include "CBuild.h"

// In C, because only a C target takes a value from the manifest.
const char *caret_commit(void) { return CARET_COMMIT; }
