/// Text from outside, before anybody compares it.
///
/// Swift compares and hashes texts by canonical equivalence: for that it puts combining marks that follow one another into
/// order, one by one. 200,000 of them (400 KB) take ten seconds, wherever a text meets `==`, a `switch` or a `Set`. Nobody
/// writes so: a run of more than 30 is not in Unicode's stream-safe text format (UAX #15, section 13), which was made for
/// those who must read text with bounded work. So every door asks `isStreamSafe` of what it lets in, or takes the
/// `streamSafe` form of what it must not refuse.
@usableFromInline package enum PlainText {
  @usableFromInline package enum Limits {
    /// Combining marks in a row (UAX #15, definition D3). The longest run of any language has fewer than ten.
    @usableFromInline package static let marks = 30
  }

  /// What is wrong with a text that is not stream-safe, as a sentence goes on behind its name.
  package static let objection = "has more than \(Limits.marks) combining marks in a row"
}

extension String {
  /// False when more than 30 combining marks stand in a row somewhere.
  @inlinable
  package var isStreamSafe: Bool {
    // A mark has at least two bytes: most texts are shorter than such a run.
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

  /// The same text, in which U+FFFD stands for each mark that comes after 30 others.
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
  /// The beginning of the text that has so many bytes at most, without half a scalar at its end. Characters are no measure
  /// of what is kept or shown: one may have any number of bytes.
  package func beginning(bytes: Int) -> Substring {
    guard var end = utf8.index(startIndex, offsetBy: bytes, limitedBy: endIndex) else { return self[...] }
    while end.samePosition(in: unicodeScalars) == nil { end = utf8.index(before: end) }
    return self[..<end]
  }
}

extension Unicode.Scalar {
  /// True for what canonical ordering moves. The two large blocks of letters that bodies are full of are not looked up:
  /// ideographs and Hangul.
  fileprivate var isCombining: Bool {
    switch value {
    case 0..<0x300, 0x3400..<0xA66F, 0xAC00..<0xD7A4: false
    default: properties.canonicalCombiningClass != .notReordered
    }
  }
}
