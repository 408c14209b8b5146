#ifndef CARET_CMALLOC_H
#define CARET_CMALLOC_H

#include <malloc.h>

/// How often the calling thread has asked the heap for memory.
long caret_allocations(void);

#endif
