/// Finds the badge in a payload without parsing the rest as JSON, because this is done for every push.
enum PayloadBadge {
  private static let name = Array(#""badge""#.utf8)

  /// Returns the integer after the first `"badge":`; nil if there is none.
  static func find(in payload: Span<UInt8>) -> Int? {
    var index = 0
    let last = payload.count - name.count
    while index <= last {
      if payload[index] == name[0], isName(payload, at: index) {
        if let badge = number(payload, from: index + name.count) { return badge }
      }
      index += 1
    }
    return nil
  }

  private static func isName(_ payload: Span<UInt8>, at start: Int) -> Bool {
    for offset in 1..<name.count where payload[start + offset] != name[offset] { return false }
    return true
  }

  private static func number(_ payload: Span<UInt8>, from start: Int) -> Int? {
    var index = start
    var hasColon = false
    var value: Int?
    while index < payload.count {
      let isSpace = [0x20, 0x09, 0x0A, 0x0D].contains(payload[index])
      switch payload[index] {
      case _ where isSpace && value == nil: break
      case 0x3A where !hasColon: hasColon = true
      case 0x30...0x39 where hasColon: value = min((value ?? 0) * 10 + Int(payload[index] - 0x30), 1_000_000)
      default: return value
      }
      index += 1
    }
    return value
  }
}
