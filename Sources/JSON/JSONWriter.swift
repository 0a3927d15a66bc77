/// Builds a JSON text by appending. Inserts commas; the caller is responsible for the structure.
///
/// ```
/// var writer = JSONWriter()
/// writer.object { writer in
///   writer.member("seqno", "104")
///   writer.member("targeted", 2)
/// }
/// ```
package struct JSONWriter {
  package private(set) var bytes: [UInt8] = []
  /// True if a comma must precede the next value or member.
  private var needsComma = false
  /// Returns the text of a sentence; English unless the reader is known to want another language.
  package var wording: @Sendable (Sentence) -> String = { $0.english }

  package init(capacity: Int = 256) {
    bytes.reserveCapacity(capacity)
  }

  // MARK: Structure

  package mutating func object(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "{"))
    body(&self)
    close(UInt8(ascii: "}"))
  }

  package mutating func array(_ body: (inout JSONWriter) -> Void) {
    open(UInt8(ascii: "["))
    body(&self)
    close(UInt8(ascii: "]"))
  }

  /// Writes the name of a member; its value must follow.
  package mutating func name(_ name: String) {
    comma()
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    needsComma = false
  }

  // MARK: Values

  package mutating func value(_ text: String) {
    comma()
    quote(text)
    needsComma = true
  }

  /// Writes a sentence in the writer's language.
  package mutating func value(_ sentence: Sentence) { value(wording(sentence)) }

  package mutating func value(_ number: some BinaryInteger) {
    comma()
    bytes.append(contentsOf: String(number).utf8)
    needsComma = true
  }

  package mutating func value(_ flag: Bool) {
    comma()
    bytes.append(contentsOf: (flag ? "true" : "false").utf8)
    needsComma = true
  }

  package mutating func null() {
    comma()
    bytes.append(contentsOf: "null".utf8)
    needsComma = true
  }

  /// Appends text that is JSON already, as one value.
  package mutating func raw(_ json: [UInt8]) {
    comma()
    bytes.append(contentsOf: json)
    needsComma = true
  }

  package mutating func raw(_ json: String) {
    comma()
    bytes.append(contentsOf: json.utf8)
    needsComma = true
  }

  // MARK: Members

  package mutating func member(_ name: String, _ text: String?) {
    self.name(name)
    if let text { value(text) } else { null() }
  }

  package mutating func member(_ name: String, _ number: (some BinaryInteger)?) {
    self.name(name)
    if let number { value(number) } else { null() }
  }

  package mutating func member(_ name: String, _ flag: Bool) {
    self.name(name)
    value(flag)
  }

  package mutating func member(_ name: String, raw json: [UInt8]) {
    self.name(name)
    raw(json)
  }

  package mutating func member(_ name: String, raw json: String) {
    self.name(name)
    raw(json)
  }

  package mutating func member(_ name: String, object body: (inout JSONWriter) -> Void) {
    self.name(name)
    object(body)
  }

  package mutating func member(_ name: String, array body: (inout JSONWriter) -> Void) {
    self.name(name)
    array(body)
  }

  // MARK: Internals

  private mutating func open(_ bracket: UInt8) {
    comma()
    bytes.append(bracket)
    needsComma = false
  }

  private mutating func close(_ bracket: UInt8) {
    bytes.append(bracket)
    needsComma = true
  }

  private mutating func comma() {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
  }

  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    Self.escape(text, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Appends text to `bytes`, escaped for use inside a JSON string, without its quotes.
  package static func escape(_ text: String, into bytes: inout [UInt8]) {
    // Most texts contain nothing to escape and are copied as they are.
    if isPlain(text.utf8.span) {
      bytes.append(contentsOf: text.utf8)
    } else {
      for byte in text.utf8 { escape(byte, into: &bytes) }
    }
  }

  /// Appends UTF-8 to `bytes`, escaped like a text.
  package static func escape(_ utf8: [UInt8], into bytes: inout [UInt8]) {
    for byte in utf8 { escape(byte, into: &bytes) }
  }

  private static func isPlain(_ text: Span<UInt8>) -> Bool {
    // Without an early exit, so that the compiler can check many bytes at a time.
    var special: UInt8 = 0
    for index in text.indices {
      let byte = text[index]
      special |= byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
    }
    return special == 0
  }

  private static func escape(_ byte: UInt8, into bytes: inout [UInt8]) {
    switch byte {
    case UInt8(ascii: "\""): bytes.append(contentsOf: "\\\"".utf8)
    case UInt8(ascii: "\\"): bytes.append(contentsOf: "\\\\".utf8)
    case 0x0A: bytes.append(contentsOf: "\\n".utf8)
    case 0x0D: bytes.append(contentsOf: "\\r".utf8)
    case 0x09: bytes.append(contentsOf: "\\t".utf8)
    case 0..<0x20:
      bytes.append(contentsOf: "\\u00".utf8)
      bytes.append(hexDigits[Int(byte >> 4)])
      bytes.append(hexDigits[Int(byte & 15)])
    default: bytes.append(byte)
    }
  }

  private static let hexDigits = Array("0123456789abcdef".utf8)
}
