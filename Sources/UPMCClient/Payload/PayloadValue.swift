/// A JSON value in a payload.
public enum PayloadValue: Sendable, Equatable, Codable {
  /// The value `null`.
  case null
  /// The value `true` or `false`.
  case flag(Bool)
  /// A number. Whole numbers up to 2⁵³ are exact; larger ones are rounded.
  case number(Double)
  /// A string.
  case text(String)
  /// An array.
  case list([PayloadValue])
  /// An object.
  case object([String: PayloadValue])

  /// Maximum nesting depth. The server accepts 32 levels in a message, and three more are around the payload in a page
  /// of the inbox. Without a limit of its own, decoding would follow the system's 512 levels, which are more than the
  /// stack of a background thread on Apple's systems (512 KB) can be trusted to hold.
  static let mostDepth = 40

  /// Decodes any JSON value. Throws if it is a number that does not fit a `Double`, or nested too deeply.
  public init(from decoder: any Decoder) throws {
    guard decoder.codingPath.count < Self.mostDepth else {
      throw DecodingError.dataCorrupted(
        DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "nested too deeply"))
    }
    let value = try decoder.singleValueContainer()
    if value.decodeNil() {
      self = .null
    } else if let flag = try? value.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? value.decode(Double.self) {
      self = .number(number)
    } else if let text = try? value.decode(String.self) {
      self = .text(text)
    } else if let list = try? value.decode([PayloadValue].self) {
      self = .list(list)
    } else {
      self = .object(try value.decode([String: PayloadValue].self))
    }
  }

  /// Encodes the value as JSON.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    switch self {
    case .null: try value.encodeNil()
    case .flag(let flag): try value.encode(flag)
    case .number(let number): try value.encode(number)
    case .text(let text): try value.encode(text)
    case .list(let list): try value.encode(list)
    case .object(let members): try value.encode(members)
    }
  }

  /// Converts a value from a notification's `userInfo`; nil if it is no text, number, Boolean, array or dictionary, or
  /// if it is nested too deeply. Members and elements that cannot be converted are omitted. On Apple's systems, a
  /// Boolean becomes the number 0 or 1.
  init?(any: Any, depth: Int = 0) {
    guard depth < Self.mostDepth else { return nil }
    switch any {
    case let value as PayloadValue: self = value
    case let text as String: self = .text(text)
    // On Apple's systems a number can be cast to a Boolean, so test for numbers first.
    case let number as Double: self = .number(number)
    case let number as Int: self = .number(Double(number))
    case let flag as Bool: self = .flag(flag)
    case let members as [AnyHashable: Any]:
      var object: [String: PayloadValue] = [:]
      for (key, value) in members {
        guard let name = key.base as? String, let value = PayloadValue(any: value, depth: depth + 1) else { continue }
        object[name] = value
      }
      self = .object(object)
    case let list as [Any]: self = .list(list.compactMap { PayloadValue(any: $0, depth: depth + 1) })
    default: return nil
    }
  }

  /// Returns a member of an object; nil if there is none, or for other kinds of values.
  public subscript(name: String) -> PayloadValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The string; nil for other kinds of values.
  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// The number as an integer; nil if it is not whole or does not fit, and for other kinds of values.
  public var integer: Int? {
    guard case .number(let number) = self else { return nil }
    return Int(exactly: number)
  }

  /// The text of a SEQNO, which the payload can contain as a string or a number; nil for other values. Not validated.
  var sequence: String? { text ?? integer.map { String($0) } }
}
