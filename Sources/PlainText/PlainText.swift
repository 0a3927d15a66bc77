/// Checks on untrusted text before it is compared.
///
/// Swift compares and hashes strings by canonical equivalence, which requires sorting consecutive combining marks. For
/// 200,000 of them (400 KB) this takes ten seconds in any `==`, `switch` or `Set`. Real text contains no such runs:
/// more than 30 combining marks in a row violate Unicode's stream-safe text format (UAX #15, section 13), which is
/// designed to bound this work. Every entry point therefore either rejects text that is not `isStreamSafe`, or uses its
/// `streamSafe` form.
@usableFromInline package enum PlainText {
  @usableFromInline package enum Limits {
    /// Maximum number of consecutive combining marks (UAX #15, definition D3). The longest run in any language has
    /// fewer than ten.
    @usableFromInline package static let marks = 30
  }

  /// The error text for a string that is not stream-safe, to follow the field's name.
  package static let objection: Sentence = "has more than \(Limits.marks) combining marks in a row"
}

extension String {
  /// False if the text contains more than 30 consecutive combining marks.
  @inlinable
  package var isStreamSafe: Bool {
    // A mark has at least two bytes, so shorter texts cannot contain such a run.
    utf8.count <= 2 * PlainText.Limits.marks || hasNoLongRun
  }

  @usableFromInline
  package var hasNoLongRun: Bool {
    guard !utf8Span.isKnownASCII else { return true }
    var run = 0
    for scalar in unicodeScalars {
      run = scalar.isCombining ? run + 1 : 0
      if run > PlainText.Limits.marks { return false }
    }
    return true
  }

  /// The text with U+FFFD in place of each mark that follows 30 others.
  package var streamSafe: String {
    guard !isStreamSafe else { return self }
    var safe = ""
    var run = 0
    for scalar in unicodeScalars {
      run = scalar.isCombining ? run + 1 : 0
      safe.unicodeScalars.append(run > PlainText.Limits.marks ? "\u{FFFD}" : scalar)
    }
    return safe
  }
}

extension String {
  /// Returns the longest prefix of at most `bytes` UTF-8 bytes that does not end within a scalar. Limits are in bytes,
  /// because a single character may have any number of them.
  package func beginning(bytes: Int) -> Substring {
    guard var end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex) else { return self[...] }
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end]
  }
}

extension Unicode.Scalar {
  /// True for characters that canonical ordering moves. Ideographs and Hangul, the two largest blocks of letters, are
  /// excluded without a look-up.
  fileprivate var isCombining: Bool {
    switch value {
    case 0..<0x300, 0x3400..<0xA66F, 0xAC00..<0xD7A4: false
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}
