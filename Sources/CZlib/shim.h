// zlib for Swift: an allocator, and functions for the initialization macros.
#ifndef WSX_CZLIB_SHIM_H
#define WSX_CZLIB_SHIM_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <zlib.h>

// Allocates zlib's memory directly from the kernel, so a released stream shrinks the process regardless of later
// allocations. The kernel limits the number of mappings (65,530 on Linux), and many connections in the middle of a
// message can exhaust it. Further memory then comes from malloc, marked with a size of 0.
static inline voidpf wsx_zlib_allocate(voidpf opaque, uInt items, uInt size) {
    (void)opaque;
    size_t bytes = (size_t)items * size + 2 * sizeof(size_t);
    size_t *pages = (size_t *)mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages != MAP_FAILED) {
        pages[0] = bytes;
        return pages + 2;
    }
    pages = (size_t *)calloc(1, bytes);
    if (pages == NULL) return Z_NULL;
    pages[0] = 0;
    return pages + 2;
}

static inline void wsx_zlib_free(voidpf opaque, voidpf address) {
    (void)opaque;
    size_t *pages = (size_t *)address - 2;
    if (pages[0] == 0) {
        free(pages);
    } else {
        munmap(pages, pages[0]);
    }
}

// deflateInit2 and inflateInit2 are macros. Negative window bits select raw DEFLATE without zlib's header.

static inline int wsx_deflate_begin(z_stream *stream, int level, int windowBits, int memoryLevel) {
    stream->zalloc = wsx_zlib_allocate;
    stream->zfree = wsx_zlib_free;
    return deflateInit2(stream, level, Z_DEFLATED, -windowBits, memoryLevel, Z_DEFAULT_STRATEGY);
}

// Begins to compress with the header and checksum of gzip or zlib.
static inline int wsx_deflate_begin_wrapped(z_stream *stream, int level, int isGzip) {
    stream->zalloc = wsx_zlib_allocate;
    stream->zfree = wsx_zlib_free;
    return deflateInit2(stream, level, Z_DEFLATED, isGzip ? 15 + 16 : 15, 8, Z_DEFAULT_STRATEGY);
}

static inline int wsx_inflate_begin(z_stream *stream, int windowBits) {
    stream->zalloc = wsx_zlib_allocate;
    stream->zfree = wsx_zlib_free;
    return inflateInit2(stream, -windowBits);
}

// Begins to decompress gzip or zlib data, whichever its header announces.
static inline int wsx_inflate_begin_wrapped(z_stream *stream) {
    stream->zalloc = wsx_zlib_allocate;
    stream->zfree = wsx_zlib_free;
    return inflateInit2(stream, 15 + 32);
}

#endif
