/// nghttp2, HTTP/2 framing and HPACK without I/O. Written for 1.52 (Debian 12).
#pragma once
#include <nghttp2/nghttp2.h>
