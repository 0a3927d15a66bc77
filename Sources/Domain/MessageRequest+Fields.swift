package import JSON

/// The fields that need more than one call to read.
extension MessageRequest {
  /// `{"increment":n}`, `{"set":n}` or `{"clear":true}`.
  static func readBadge(_ reader: inout JSONReader) throws(JSONError) -> BadgeRequest {
    var requests: [BadgeRequest] = []
    try reader.readObject { (reader, key) throws(JSONError) in
      switch key {
      case "increment": requests.append(.increment(try reader.readBadge()))
      case "set": requests.append(.set(try reader.readBadge()))
      case "clear":
        guard try reader.readBool() else { throw JSONError("must be true") }
        requests.append(.clear)
      default: throw .unknownField
      }
    }
    guard let request = requests.first, requests.count == 1 else {
      throw JSONError("must have exactly one of increment, set, clear")
    }
    return request
  }

  static func readLane(_ reader: inout JSONReader) throws(JSONError) -> Lane {
    guard let lane = Lane(name: try reader.readString()) else { throw JSONError("must be urgent, normal or bulk") }
    return lane
  }

  static func readKind(_ reader: inout JSONReader) throws(JSONError) -> MessageKind {
    guard let kind = MessageKind(rawValue: try reader.readString()) else {
      throw JSONError("must be notice, ad or essential")
    }
    return kind
  }

  static func readUnknownPolicy(_ reader: inout JSONReader) throws(JSONError) -> UnknownPolicy {
    switch try reader.readString() {
    case "resend": return .resend
    case "skip": return .skip
    default: throw JSONError("must be resend or skip")
    }
  }

  static func readExpiry(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    guard let seconds = ISODuration.seconds(try reader.readString()),
      Domain.Limits.expirySeconds.contains(seconds)
    else { throw JSONError("must be an ISO 8601 duration up to 30 days, for example PT10M or P1D") }
    return seconds
  }
}

extension MessageRequest {
  static func readInbox(_ reader: inout JSONReader) throws(JSONError) -> Int64 {
    guard let seconds = ISODuration.seconds(try reader.readString()), Domain.Limits.inboxSeconds.contains(seconds)
    else { throw JSONError("must be an ISO 8601 duration from PT1H to P365D, for example P90D") }
    return seconds
  }
}

extension JSONReader {
  /// A badge number that may be set: 1…1000.
  package mutating func readBadge() throws(JSONError) -> Int16 {
    let refusal = JSONError(Problem.badgeRange)
    guard try peek() == .number else { throw refusal }
    let number: Int64
    do {
      number = try readInteger()
    } catch {
      throw refusal
    }
    guard let value = Int16(exactly: number), Domain.Limits.badgeValue.contains(value) else { throw refusal }
    return value
  }
}
