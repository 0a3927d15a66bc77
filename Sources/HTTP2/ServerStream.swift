internal import Reactor

/// A request on a `ServerSession`, and the state of its response. The session reuses the object after `.closed`, so the
/// owner must not use it after that event.
package final class ServerStream {
  package internal(set) var id: Int32 = 0
  /// An object of the owner, for example its record of this request. Cleared when the stream is reused.
  package var context: AnyObject?
  /// True once the client has ended the request (END_STREAM).
  package internal(set) var isComplete = false
  /// True from the end of the stream until its reuse.
  package internal(set) var isClosed = false
  /// True once `respond` has been called.
  package internal(set) var isAnswered = false
  private var contents = RequestContents()

  // The response body, read by nghttp2 when it writes DATA frames.
  var answer: [UInt8] = []
  var answerOffset = 0
  var answerChunkBytes = Int.max
  var answerEnds = true

  init() {}

  // MARK: Filled by the session

  func begin(id: Int32) {
    self.id = id
    context = nil
    isComplete = false
    isClosed = false
    isAnswered = false
    contents.removeAll()
    if !answer.isEmpty { answer = [] }
  }

  func addField(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, isNeverIndexed: Bool) {
    unsafe contents.addField(name: name, value: value, isNeverIndexed: isNeverIndexed)
  }

  func addBody(_ bytes: UnsafeBufferPointer<UInt8>, storing limit: Int) {
    unsafe contents.addBody(bytes, storing: limit)
  }

  // MARK: Header fields, in the order sent, pseudo fields and duplicates included

  package var fieldCount: Int { contents.fields.count }

  /// Returns a field as strings. Allocates; for inspecting single requests.
  package func field(at index: Int) -> HeaderField {
    let field = contents.fields[index]
    return HeaderField(
      contents.text(field.name), contents.text(field.value), isNeverIndexed: field.isNeverIndexed)
  }

  /// Returns the number of occurrences of the field `name` (lower case).
  package func count(of name: StaticString) -> Int {
    contents.fields.count { contents.matches($0, name) }
  }

  /// Returns the first value of `name`; nil if there is none. Allocates.
  package func value(of name: StaticString) -> String? {
    contents.first(name).map { contents.text($0.value) }
  }

  /// Calls `body` with the first value of `name`, without allocating, and returns its result; nil if there is no such
  /// field.
  package func withValue<Result>(of name: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let field = contents.first(name) else { return nil }
    return contents.fieldBytes.withReadable { bytes in body(bytes.extracting(field.value)) }
  }

  /// Calls `body` with every field in the order received, without allocating.
  package func forEachField(
    _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>, _ isNeverIndexed: Bool) -> Void
  ) {
    contents.fieldBytes.withReadable { bytes in
      for field in contents.fields {
        body(bytes.extracting(field.name), bytes.extracting(field.value), field.isNeverIndexed)
      }
    }
  }

  /// Returns true if the client marked the first field `name` as never indexed.
  package func isNeverIndexed(_ name: StaticString) -> Bool {
    contents.first(name)?.isNeverIndexed ?? false
  }

  // MARK: Body

  /// The number of DATA bytes received, including those not stored.
  package var bodyCount: Int { contents.bodyCount }

  /// Calls `body` with the stored part of the request body.
  package func withBody<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try contents.body.withReadable(body)
  }
}

/// The fields and body of a request, in storage reused for the next one.
private struct RequestContents: ~Copyable {
  struct Field {
    let name: Range<Int>
    let value: Range<Int>
    let isNeverIndexed: Bool
  }

  /// The names and values, concatenated.
  var fieldBytes = ByteBuffer(capacity: 1024)
  var fields: [Field] = []
  var body = ByteBuffer(capacity: 1024)
  var bodyCount = 0

  mutating func removeAll() {
    fieldBytes.removeAll()
    fields.removeAll(keepingCapacity: true)
    body.removeAll()
    bodyCount = 0
  }

  mutating func addField(
    name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, isNeverIndexed: Bool
  ) {
    let start = fieldBytes.count
    let middle = start + name.count
    unsafe fieldBytes.append(UnsafeRawBufferPointer(name))
    unsafe fieldBytes.append(UnsafeRawBufferPointer(value))
    fields.append(
      Field(name: start..<middle, value: middle..<middle + value.count, isNeverIndexed: isNeverIndexed))
  }

  mutating func addBody(_ bytes: UnsafeBufferPointer<UInt8>, storing limit: Int) {
    bodyCount += bytes.count
    let room = max(0, limit - body.count)
    unsafe body.append(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes.prefix(room))))
  }

  func text(_ range: Range<Int>) -> String {
    unsafe fieldBytes.withUnsafeReadable { bytes in unsafe String(decoding: bytes[range], as: UTF8.self) }
  }

  func first(_ name: StaticString) -> Field? {
    for field in fields where matches(field, name) { return field }
    return nil
  }

  func matches(_ field: Field, _ name: StaticString) -> Bool {
    guard field.name.count == name.utf8CodeUnitCount else { return false }
    // Safe: a static string's bytes live as long as the program, and the counts are equal.
    let wanted = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    return fieldBytes.withReadable { bytes in
      for (offset, index) in field.name.enumerated() where unsafe bytes[index] != wanted[offset] { return false }
      return true
    }
  }
}
