#ifndef CARET_CMALLOC_H
#define CARET_CMALLOC_H

#include <malloc.h>

/// How often the process has asked the heap for memory, in all its threads.
long caret_allocations(void);

#endif
