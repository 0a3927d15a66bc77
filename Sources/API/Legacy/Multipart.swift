internal import PlainText

/// Parses `multipart/form-data` (RFC 7578) in memory.
enum Multipart {
  struct Part {
    let name: String
    /// Whether the part has a file name, even an empty one.
    let isFile: Bool
    let content: [UInt8]
  }

  private static let lineEnd: [UInt8] = [13, 10]

  /// Returns the parts of a body, in order. Anything after the final boundary is ignored.
  /// - Parameter boundary: as in the Content-Type, without the two hyphens that precede it in the body.
  /// - Throws: if the body does not begin with the boundary or lacks the final one, if it has more than
  ///   `LegacyLimits.fields` parts, or if a part has malformed or too long headers or no name, or is no file, but text
  ///   in a charset other than UTF-8 or US-ASCII.
  static func parts(of body: [UInt8], boundary: [UInt8]) throws(LegacyRefusal) -> [Part] {
    let delimiter = Array("--".utf8) + boundary
    var parts: [Part] = []
    var rest = body[...]
    if rest.starts(with: lineEnd) { rest = rest.dropFirst(2) }
    guard rest.starts(with: delimiter) else { throw broken("does not begin with its boundary") }
    rest = rest.dropFirst(delimiter.count)
    while true {
      // `--` after the boundary marks the last one. Blanks may follow a boundary (RFC 2046 §5.1.1).
      if rest.starts(with: "--".utf8) { return parts }
      rest = rest.drop { $0 == 32 || $0 == 9 }
      guard rest.starts(with: lineEnd) else { throw broken("has something behind a boundary") }
      guard parts.count < LegacyLimits.fields else {
        throw broken("has more than \(LegacyLimits.fields) parts")
      }
      rest = rest.dropFirst(2)
      guard let end = find(lineEnd + delimiter, in: rest) else { throw broken("ends before its last boundary") }
      parts.append(try part(rest[..<end]))
      rest = rest[(end + 2 + delimiter.count)...]
    }
  }

  private static func part(_ bytes: ArraySlice<UInt8>) throws(LegacyRefusal) -> Part {
    var rest = bytes
    var disposition: HeaderValue?
    var type: HeaderValue?
    while true {
      let head = rest.prefix(LegacyLimits.partHeaderBytes)
      guard let end = find(lineEnd, in: head) else {
        throw broken("has a part without an empty line behind its headers")
      }
      let line = rest[..<end]
      rest = rest[(end + 2)...]
      if line.isEmpty { break }
      guard bytes.count - rest.count <= LegacyLimits.partHeaderBytes else {
        throw broken("has a part with more than \(LegacyLimits.partHeaderBytes) bytes of headers")
      }
      // The name of a file may be in the file's own encoding. Nobody reads it.
      let text = String(decoding: line, as: UTF8.self)
      guard text.isStreamSafe, let colon = text.firstIndex(of: ":") else {
        throw broken("has a part with a header that is none")
      }
      let value = HeaderValue.trimmed(text[text.index(after: colon)...])
      switch text[..<colon].lowercased() {
      case "content-disposition": disposition = try HeaderValue(value)
      case "content-type": type = try HeaderValue(value)
      default: break
      }
    }
    guard let disposition, disposition.name == "form-data", let name = disposition["name"], !name.isEmpty,
      !name.unicodeScalars.contains("\u{FFFD}")
    else {
      throw broken("has a part without a name")
    }
    let isFile = disposition["filename"] != nil
    // Whoever reads a file finds its encoding out.
    if !isFile, let type, type.name.hasPrefix("text/") { try type.checkCharset() }
    return Part(name: name, isFile: isFile, content: Array(rest))
  }

  /// Returns the index, in `bytes`, of the first occurrence of `pattern`; nil if there is none.
  private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
    let last = bytes.endIndex - pattern.count
    var start = bytes.startIndex
    while start <= last {
      if bytes[start] == pattern[0], bytes[start..<start + pattern.count].elementsEqual(pattern) { return start }
      start += 1
    }
    return nil
  }

  private static func broken(_ fault: String) -> LegacyRefusal {
    LegacyRefusal(.serverError, "The multipart body \(fault).")
  }
}
