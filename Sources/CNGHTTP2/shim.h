/// nghttp2, HTTP/2 framing and HPACK without I/O. Written for 1.52 (Debian 12), which has none of the `…2` functions.
#pragma once
#include <nghttp2/nghttp2.h>

// Swift imports nghttp2_frame, a union of structs, but reading members of it copies the whole; these read one field.
static inline uint8_t upmc_frame_type(const nghttp2_frame *frame) { return frame->hd.type; }
static inline uint8_t upmc_frame_flags(const nghttp2_frame *frame) { return frame->hd.flags; }
static inline int32_t upmc_frame_stream(const nghttp2_frame *frame) { return frame->hd.stream_id; }
static inline int upmc_frame_opens_request(const nghttp2_frame *frame) {
  return frame->hd.type == NGHTTP2_HEADERS && frame->headers.cat == NGHTTP2_HCAT_REQUEST;
}
// The function pointer and the source of a body, without importing the union of file number and pointer.
static inline nghttp2_data_provider upmc_data_provider(void *source, nghttp2_data_source_read_callback read) {
  nghttp2_data_provider provider;
  provider.source.ptr = source;
  provider.read_callback = read;
  return provider;
}
static inline void *upmc_source_pointer(const nghttp2_data_source *source) { return source->ptr; }
static inline void upmc_end_of_body(uint32_t *flags) { *flags |= NGHTTP2_DATA_FLAG_EOF; }
