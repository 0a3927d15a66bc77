/// JSON as a payload holds it.
public enum PayloadValue: Sendable, Equatable, Codable {
  /// `null`.
  case null
  /// `true` or `false`.
  case flag(Bool)
  /// A number; whole ones up to 2⁵³ are exact.
  case number(Double)
  /// A string.
  case text(String)
  /// An array.
  case list([PayloadValue])
  /// An object.
  case object([String: PayloadValue])

  /// Reads any JSON value.
  public init(from decoder: any Decoder) throws {
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

  /// Writes it as JSON.
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

  /// What a notification's `userInfo` holds; nil for what is no JSON.
  init?(any: Any, depth: Int = 0) {
    guard depth < 32 else { return nil }
    switch any {
    case let value as PayloadValue: self = value
    case let text as String: self = .text(text)
    // On Apple's systems a number is a flag too: as the number it is as good.
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

  /// A member of an object.
  public subscript(name: String) -> PayloadValue? {
    guard case .object(let members) = self else { return nil }
    return members[name]
  }

  /// The text of a string.
  public var text: String? {
    guard case .text(let text) = self else { return nil }
    return text
  }

  /// A whole number.
  public var integer: Int? {
    guard case .number(let number) = self else { return nil }
    return Int(exactly: number)
  }

  /// A number by which SEQNO may come too, as text.
  var sequence: String? { text ?? integer.map { String($0) } }
}
