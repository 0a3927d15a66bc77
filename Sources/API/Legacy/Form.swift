internal import Domain
internal import HTTPServer
internal import PlainText

/// The fields and files of a posted form. Names are case-insensitive in the form; look them up in upper case. An empty
/// value counts as absent, because the SDK sends all parameters, used or not.
struct Form: Sendable {
  private var fields: [String: String] = [:]
  private(set) var files: [String: [UInt8]] = [:]

  init() {}

  /// Parses a body according to its Content-Type, which is urlencoded if nil.
  /// - Throws: if the type or its charset is not supported, the body is malformed, it has more than
  ///   `LegacyLimits.fields` fields, or it has a field twice with different values or a file twice.
  init(_ body: [UInt8], contentType: String?) throws(LegacyRefusal) {
    let type = try HeaderValue(contentType ?? "application/x-www-form-urlencoded")
    switch type.name {
    case "application/x-www-form-urlencoded":
      try type.checkCharset()
      try self.init(urlencoded: body)
    case "multipart/form-data":
      try self.init(try Multipart.parts(of: body, boundary: type.boundary()))
    default:
      throw LegacyRefusal(
        .serverError,
        "The content type \(type.name) is not read here: post application/x-www-form-urlencoded or multipart/form-data."
      )
    }
  }

  private init(urlencoded body: [UInt8]) throws(LegacyRefusal) {
    var (start, count) = (0, 0)
    while start < body.count {
      let end = body[start...].firstIndex(of: UInt8(ascii: "&")) ?? body.count
      defer { start = end + 1 }
      guard end > start else { continue }
      count += 1
      guard count <= LegacyLimits.fields else { throw Self.tooMany }
      let equals = body[start..<end].firstIndex(of: UInt8(ascii: "=")) ?? end
      guard let name = FormDecoding.decode(body.span.extracting(start..<equals)) else {
        throw LegacyRefusal(field: "A field's name", Self.unreadable)
      }
      guard let value = FormDecoding.decode(body.span.extracting(min(equals + 1, end)..<end)) else {
        throw LegacyRefusal(field: Self.shown(name), Self.unreadable)
      }
      // Some clients end or pad their forms with an empty pair.
      if name.isEmpty, value.isEmpty { continue }
      try add(name, value)
    }
  }

  private init(_ parts: [Multipart.Part]) throws(LegacyRefusal) {
    for part in parts {
      if part.isFile {
        guard files.updateValue(part.content, forKey: part.name.uppercased()) == nil else {
          throw LegacyRefusal(field: Self.shown(part.name), "is there twice")
        }
      } else {
        guard let value = String(validating: part.content, as: UTF8.self) else {
          throw LegacyRefusal(field: Self.shown(part.name), "is not UTF-8")
        }
        guard value.isStreamSafe else { throw LegacyRefusal(field: Self.shown(part.name), PlainText.objection.english) }
        try add(part.name, value)
      }
      guard files.count <= LegacyLimits.fields else { throw Self.tooMany }
    }
  }

  private mutating func add(_ name: String, _ value: String) throws(LegacyRefusal) {
    guard !name.isEmpty, name.utf8.count <= LegacyLimits.nameBytes, !name.utf8.contains(0) else {
      throw LegacyRefusal(field: "A field's name", "must have 1 to \(LegacyLimits.nameBytes) bytes, none of them NUL")
    }
    guard !value.utf8.contains(0) else {
      throw LegacyRefusal(field: Self.shown(name), "holds a NUL, which cannot be stored")
    }
    let earlier = fields.updateValue(value, forKey: name.uppercased())
    guard earlier == nil || earlier == value else {
      throw LegacyRefusal(field: Self.shown(name.uppercased()), "is there twice, with different values")
    }
    guard fields.count <= LegacyLimits.fields else { throw Self.tooMany }
  }

  private static let unreadable = "is not percent-encoded UTF-8, or \(PlainText.objection.english)"

  private static let tooMany = LegacyRefusal(
    .serverError, "The form has more than \(LegacyLimits.fields) fields.")

  /// Returns the first `LegacyLimits.nameBytes` characters of a field name, without those that are not printable ASCII,
  /// for error messages.
  private static func shown(_ name: String) -> String {
    String(name.prefix(LegacyLimits.nameBytes).filter { $0.isASCII && !$0.isNewline && $0 >= " " })
  }

  // MARK: Fields

  /// Returns the value of a field; nil if it is absent or empty.
  /// - Parameter name: name in upper case.
  subscript(name: String) -> String? {
    guard let value = fields[name], !value.isEmpty else { return nil }
    return value
  }

  /// Returns the value of a field; nil if it is absent or empty.
  /// - Throws: if it is longer than `bytes`.
  func text(_ name: String, upTo bytes: Int) throws(LegacyRefusal) -> String? {
    guard let value = self[name] else { return nil }
    guard value.utf8.count <= bytes else { throw LegacyRefusal(field: name, "is longer than \(bytes) bytes") }
    return value
  }

  /// Returns the value of a required field.
  /// - Throws: if it is absent, empty or longer than `bytes`.
  func required(_ name: String, upTo bytes: Int) throws(LegacyRefusal) -> String {
    guard let value = try text(name, upTo: bytes) else { throw LegacyRefusal(field: name, "is needed") }
    return value
  }

  /// Returns the field as a whole number; nil if it is absent or empty.
  /// - Throws: if it is not a number, or out of range.
  func number(_ name: String, in range: ClosedRange<Int64>) throws(LegacyRefusal) -> Int64? {
    guard let text = self[name] else { return nil }
    guard text.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: "-") }), let number = Int64(text),
      range.contains(number)
    else { throw LegacyRefusal(field: name, "must be a whole number from \(range.lowerBound) to \(range.upperBound)") }
    return number
  }

  /// Returns a required field as a SEQNO.
  /// - Throws: if it is absent, empty, or not a positive whole number.
  func seqno(_ name: String) throws(LegacyRefusal) -> Seqno {
    guard let number = try number(name, in: 1...Int64.max) else { throw LegacyRefusal(field: name, "is needed") }
    return Seqno(number)
  }

  /// Returns true for `Y` and false for `N`, in either case; nil if the field is absent or empty.
  /// - Throws: for any other value.
  func flag(_ name: String) throws(LegacyRefusal) -> Bool? {
    try LegacyRefusal.reading(name) { () throws(SDKWords.Objection) in try SDKWords.flag(self[name]) }
  }
}
