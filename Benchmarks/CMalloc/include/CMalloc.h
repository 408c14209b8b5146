#ifndef CARET_CMALLOC_H
#define CARET_CMALLOC_H

#include <malloc.h>

/// How many allocations the calling thread has made.
long caret_allocations(void);

#endif
