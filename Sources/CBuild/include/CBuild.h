#ifndef CBUILD_H
#define CBUILD_H

/// The commit that the program was built from, as `CARET_COMMIT` named it. Empty if that variable was not set.
const char *caret_commit(void);

#endif
