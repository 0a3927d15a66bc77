/// zlib. Written for 1.2.13 (Debian 12).
#pragma once
#include <zlib.h>

/// `deflateInit2` is a macro. 15 bits of window, and 16 more for the header and trailer of gzip.
static inline int czlib_gzip_init(z_stream *stream, int level) {
  return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
