internal import CNGHTTP2
internal import Glibc

/// One request and its answer inside a `ClientSession`; reused by it.
@safe
final class Exchange {
  /// Place in the session's pool.
  let index: Int
  var tag: UInt64 = 0
  var streamID: Int32 = 0

  // The request's own bytes: path, varying value, body, one after the other. nghttp2 reads them when it writes frames.
  private var storage: UnsafeMutableBufferPointer<UInt8>
  private(set) var pathBytes = 0
  private(set) var varyingBytes = 0
  private var bodyStart: Int { pathBytes + varyingBytes }
  private(set) var unsentBodyBytes = 0
  private var requestBytes = 0
  /// Kept because nghttp2 reads names and constant values from it.
  var template: RequestTemplate?

  // The answer.
  var status = 0
  var fields: [HeaderField] = []
  var body: [UInt8] = []

  init(index: Int) {
    self.index = index
    unsafe storage = .allocate(capacity: 1024)
  }

  deinit {
    unsafe storage.deallocate()
  }

  /// Starts a new life with a request.
  func begin(path: Span<UInt8>, varying: Span<UInt8>, body: Span<UInt8>, tag: UInt64, template: RequestTemplate?) {
    self.tag = tag
    self.template = template
    status = 0
    streamID = 0
    if !fields.isEmpty { fields = [] }
    if !self.body.isEmpty { self.body = [] }
    pathBytes = path.count
    varyingBytes = varying.count
    unsentBodyBytes = body.count
    requestBytes = path.count + varying.count + body.count
    if unsafe storage.count < requestBytes {
      unsafe storage.deallocate()
      unsafe storage = .allocate(capacity: max(requestBytes, 2 * storage.count))
    }
    copy(path, at: 0)
    copy(varying, at: pathBytes)
    copy(body, at: bodyStart)
  }

  private func copy(_ bytes: Span<UInt8>, at offset: Int) {
    // Safe: the storage has room for the whole request.
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      unsafe memcpy(storage.baseAddress! + offset, start, source.count)
    }
  }

  /// Valid until the next `begin`.
  var pathPointer: UnsafeMutablePointer<UInt8> { unsafe storage.baseAddress! }
  var varyingPointer: UnsafeMutablePointer<UInt8> { unsafe storage.baseAddress! + pathBytes }

  /// Copies the next part of the body, at most `limit` bytes.
  func readBody(into buffer: UnsafeMutablePointer<UInt8>, limit: Int) -> Int {
    let count = min(limit, unsentBodyBytes)
    unsafe memcpy(buffer, storage.baseAddress! + requestBytes - unsentBodyBytes, count)
    unsentBodyBytes -= count
    return count
  }

  func end(_ code: ErrorCode) -> StreamEnd {
    StreamEnd(tag: tag, streamID: streamID, status: status, fields: fields, body: body, errorCode: code)
  }
}

/// How a request ended.
package struct StreamEnd: Sendable {
  /// What the owner gave at `submit`.
  package let tag: UInt64
  package let streamID: Int32
  /// HTTP status of the answer; 0 when no response headers came.
  package let status: Int
  /// Header fields of the answer without `:status`; only kept when the status is not 200, or when configured.
  package let fields: [HeaderField]
  /// The answer's body, as much as is kept.
  package let body: [UInt8]
  /// `noError` when the answer is whole.
  package let errorCode: ErrorCode

  package init(
    tag: UInt64, streamID: Int32, status: Int, fields: [HeaderField], body: [UInt8], errorCode: ErrorCode
  ) {
    self.tag = tag
    self.streamID = streamID
    self.status = status
    self.fields = fields
    self.body = body
    self.errorCode = errorCode
  }

  /// The server never processed it and it can be sent again without any risk (RFC 9113 §8.7).
  package var isNotProcessed: Bool { status == 0 && errorCode == .refusedStream }

  /// The value of the first field with this (lower-case) name.
  package func value(of name: String) -> String? {
    fields.first { $0.name == name }?.value
  }
}
