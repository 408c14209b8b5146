// The C library functions that compiled Swift needs, for a WebAssembly module that imports nothing.
//
// The heap is one run of blocks. Each block knows its own size and the size of the block before it. So a
// freed block finds both neighbours at once, and joins the free ones. This keeps a web page that is open for
// hours from fragmenting its memory. Free blocks are in lists by the power of two of their size. Every
// allocated address is a multiple of 16, the largest alignment that Swift requests here. Swift cannot
// continue without memory that it requested. So the module traps if the host has no more memory.
#include <stddef.h>

typedef struct block {
    size_t before, size;            // the lowest bit of `size` is set while the block is free
    struct block *next, *previous;  // only a free block has these; otherwise, the allocated bytes begin here
} block;

enum { page = 65536, header = offsetof(block, next), tries = 32 };

static block *lists[32];
static block *end;  // a header with size 0 after the last block; it never counts as free

static block *after(block *b) { return (block *)((char *)b + (b->size & ~(size_t)1)); }
static block **list(size_t size) { return &lists[31 - __builtin_clzl(size)]; }

// Removes a free block from its list.
static void take(block *b) {
    if (b->next) b->next->previous = b->previous;
    *(b->previous ? &b->previous->next : list(b->size)) = b->next;
    b->size &= ~(size_t)1;
}

// Frees a block: joins it with its free neighbours, and puts the result on its list.
static void give(block *b) {
    block *left = (block *)((char *)b - b->before), *right = after(b);
    if (right->size & 1) take(right), b->size += right->size;
    if (b->before && left->size & 1) take(left), left->size += b->size, b = left;
    after(b)->before = b->size;
    b->previous = 0, b->next = *list(b->size);
    if (b->next) b->next->previous = b;
    *list(b->size) = b;
    b->size |= 1;
}

// Adds enough pages for a block of `size`.
static void grow(size_t size) {
    // Sizes are multiples of 16, so these pages also have space for the header and a new end.
    size_t pages = size / page + 1;
    size_t start = __builtin_wasm_memory_grow(0, pages), bytes = pages * page;
    if (start == (size_t)-1) __builtin_trap();
    // True for the first pages, and if other code has also grown the memory.
    if (!end || (size_t)end + header != start * page) {
        end = (block *)(start * page + header);
        end->before = 0, bytes -= 2 * header;
    }
    block *b = end;
    b->size = bytes, end = after(b), end->size = 0;
    give(b);
}

static block *fitting(size_t size) {
    // Some blocks of this list may be too small. Only a few are tried, so that no search takes long.
    block *b = *list(size);
    for (int i = 0; b && i < tries; i++, b = b->next)
        if (b->size >= size) return b;
    for (block **larger = list(size) + 1; larger < lists + 32; larger++)
        if (*larger) return *larger;
    return 0;
}

void *malloc(size_t count) {
    if (count > (size_t)1 << 30) __builtin_trap();
    size_t size = (count + header + 15) & ~(size_t)15;
    block *b;
    while (!(b = fitting(size))) grow(size);
    take(b);
    if (b->size > size) {
        block *rest = (block *)((char *)b + size);
        rest->before = size, rest->size = b->size - size, b->size = size;
        give(rest);
    }
    return &b->next;
}

void free(void *address) {
    if (address) give((block *)((char *)address - header));
}

void *aligned_alloc(size_t alignment, size_t count) {
    if (alignment > 16) __builtin_trap();
    return malloc(count);
}

int posix_memalign(void **address, size_t alignment, size_t count) {
    *address = aligned_alloc(alignment, count);
    return 0;
}

// With -mbulk-memory, these builtins become the instructions memory.copy and memory.fill. So these functions
// do not call themselves.
void *memcpy(void *target, const void *source, size_t count) { return __builtin_memcpy(target, source, count); }
void *memmove(void *target, const void *source, size_t count) { return __builtin_memmove(target, source, count); }
void *memset(void *target, int byte, size_t count) { return __builtin_memset(target, byte, count); }

int memcmp(const void *left, const void *right, size_t count) {
    const unsigned char *a = left, *b = right;
    for (size_t i = 0; i < count; i++)
        if (a[i] != b[i]) return a[i] - b[i];
    return 0;
}

// Swift seeds its hash tables with these bytes. The bytes are the same in every run, because this module has
// no source of random numbers.
void arc4random_buf(void *target, size_t count) { memset(target, 0x5A, count); }
