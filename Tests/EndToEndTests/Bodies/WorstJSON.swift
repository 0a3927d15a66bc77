import Synchronization

/// JSON texts that cost a reader more than others of their length: every kind that is known. Each has about so many
/// bytes.
enum WorstJSON: String, CaseIterable {
  /// `{"0":0,"1":0,…}`: is one of them given twice?
  case names
  /// Objects with as many names as an object may have.
  case namesInLists
  /// As deep as may be, again and again.
  case nesting
  /// Combining marks that canonical ordering would have to sort.
  case marks
  /// The same, written as escapes.
  case escapedMarks
  case escapes
  case surrogates
  /// What variables begin with.
  case percents
  case strings
  case objects
  case digits
  case fraction
  case zeros
  case blanks

  /// What a schema calls the values that are like it.
  private var type: String {
    switch self {
    case .names, .namesInLists, .nesting: "object"
    case .marks, .escapedMarks, .escapes, .surrogates, .percents: "string"
    case .strings, .objects: "array"
    case .digits, .fraction, .zeros: "number"
    case .blanks: "boolean"
    }
  }

  /// Those to try where the document wants values of these types; names everywhere, for some members are kept unread.
  static func fitting(_ types: Set<String>) -> [WorstJSON] {
    allCases.filter { worst in worst == .names || types.contains(worst.type) }
  }

  /// The texts made so far, by their size in bytes: each is used in the bodies of hundreds of requests.
  private static let made = Mutex<[WorstJSON: [Int: String]]>([:])

  func text(_ bytes: Int) -> String {
    Self.made.withLock { made in
      if let text = made[self]?[bytes] { return text }
      let text = make(bytes)
      made[self, default: [:]][bytes] = text
      return text
    }
  }

  private func make(_ bytes: Int) -> String {
    switch self {
    case .names: "{" + Self.list(bytes) { "\"\($0)\":0" } + "}"
    case .namesInLists:
      "{\"a\":["
        + Self.list(bytes) { object in "{" + (0..<900).map { "\"\(object)n\($0)\":0" }.joined(separator: ",") + "}" }
        + "]}"
    case .nesting:
      "{\"a\":["
        + Self.list(bytes) { _ in String(repeating: "[", count: 24) + String(repeating: "]", count: 24) } + "]}"
    case .marks: Self.string("\u{301}\u{316}", bytes)
    case .escapedMarks: Self.string(#"\u0301\u0316"#, bytes)
    case .escapes: Self.string(#"\u00e9\n"#, bytes)
    case .surrogates: Self.string(#"\ud83d\ude00"#, bytes)
    case .percents: Self.string("%VAR%%CUI%VAR1", bytes)
    case .strings: "[" + Self.list(bytes) { "\"\($0)\"" } + "]"
    case .objects: "[" + Self.list(bytes) { _ in "{}" } + "]"
    case .digits: "1" + String(repeating: "9", count: bytes)
    case .fraction: "0." + String(repeating: "0", count: bytes) + "1"
    case .zeros: "1" + String(repeating: "0", count: bytes) + "e-\(bytes)"
    case .blanks: String(repeating: " ", count: bytes) + "true"
    }
  }

  private static func string(_ piece: String, _ bytes: Int) -> String {
    "\"a" + String(repeating: piece, count: bytes / piece.utf8.count) + "\""
  }

  private static func list(_ bytes: Int, _ element: (Int) -> String) -> String {
    var text = ""
    var number = 0
    while text.utf8.count < bytes {
      text += (number > 0 ? "," : "") + element(number)
      number += 1
    }
    return text
  }
}
