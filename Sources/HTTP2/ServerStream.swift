/// One request on a `ServerSession`, and what is being answered to it. Reused by its session after `.closed`: the owner
/// does not look at it any more then.
package final class ServerStream {
  private struct Field {
    let name: Range<Int>
    let value: Range<Int>
    let isNeverIndexed: Bool
  }

  package internal(set) var id: Int32 = 0
  /// Free for the owner, for example its own record of this request. Forgotten when the stream is reused.
  package var context: AnyObject?
  /// END_STREAM was seen: the request is whole.
  package internal(set) var isComplete = false
  /// The stream is over. True until its reuse.
  package internal(set) var isClosed = false
  /// `respond` was called.
  package internal(set) var isAnswered = false
  /// Bytes of DATA received, also those not stored.
  package private(set) var bodyCount = 0

  private var fieldBytes: [UInt8] = []
  private var fields: [Field] = []
  private var body: [UInt8] = []

  // The answer's body, read by nghttp2 when it writes DATA frames.
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
    bodyCount = 0
    fieldBytes.removeAll(keepingCapacity: true)
    fields.removeAll(keepingCapacity: true)
    body.removeAll(keepingCapacity: true)
    if !answer.isEmpty { answer = [] }
  }

  func addField(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>, isNeverIndexed: Bool) {
    let start = fieldBytes.count
    unsafe fieldBytes.append(contentsOf: name)
    let middle = fieldBytes.count
    unsafe fieldBytes.append(contentsOf: value)
    fields.append(
      Field(name: start..<middle, value: middle..<fieldBytes.count, isNeverIndexed: isNeverIndexed))
  }

  func addBody(_ bytes: UnsafeBufferPointer<UInt8>, storing limit: Int) {
    bodyCount += bytes.count
    unsafe body.append(contentsOf: bytes.prefix(max(0, limit - body.count)))
  }

  // MARK: Header fields, in the order sent, pseudo fields and duplicates included

  package var fieldCount: Int { fields.count }

  /// Allocates; for looking at single requests.
  package func field(at index: Int) -> HeaderField {
    let field = fields[index]
    return HeaderField(
      String(decoding: fieldBytes[field.name], as: UTF8.self), String(decoding: fieldBytes[field.value], as: UTF8.self),
      isNeverIndexed: field.isNeverIndexed)
  }

  /// How often `name` (lower case) occurs.
  package func count(of name: StaticString) -> Int {
    var count = 0
    for field in fields where matches(field, name) { count += 1 }
    return count
  }

  /// The first value of `name`; allocates.
  package func value(of name: StaticString) -> String? {
    guard let field = first(name) else { return nil }
    return String(decoding: fieldBytes[field.value], as: UTF8.self)
  }

  /// Lends the first value of `name`, without allocation. Nil when there is none.
  package func withValue<Result>(of name: StaticString, _ body: (Span<UInt8>) -> Result) -> Result? {
    guard let field = first(name) else { return nil }
    // A second reference for the length of the call: a span cannot be taken from a property of a class.
    let bytes = fieldBytes
    return body(bytes.span.extracting(field.value))
  }

  /// Lends every field in the order sent, without allocation.
  package func forEachField(
    _ body: (_ name: Span<UInt8>, _ value: Span<UInt8>, _ isNeverIndexed: Bool) -> Void
  ) {
    let bytes = fieldBytes
    for field in fields {
      body(bytes.span.extracting(field.name), bytes.span.extracting(field.value), field.isNeverIndexed)
    }
  }

  /// Whether the client asked that the first `name` is never put into a compression table.
  package func isNeverIndexed(_ name: StaticString) -> Bool {
    first(name)?.isNeverIndexed ?? false
  }

  private func first(_ name: StaticString) -> Field? {
    for field in fields where matches(field, name) { return field }
    return nil
  }

  private func matches(_ field: Field, _ name: StaticString) -> Bool {
    guard field.name.count == name.utf8CodeUnitCount else { return false }
    // Safe: a static string's bytes live as long as the program.
    let wanted = unsafe UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
    for (offset, index) in field.name.enumerated() where unsafe fieldBytes[index] != wanted[offset] { return false }
    return true
  }

  // MARK: Body

  /// Lends the stored part of the request's body.
  package func withBody<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = self.body
    return try body(bytes.span)
  }
}
