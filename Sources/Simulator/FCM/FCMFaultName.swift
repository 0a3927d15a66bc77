/// Registration tokens that request a fault for themselves: `fault.`, a name, `:`, and anything after it.
///
/// | name | fault |
/// | --- | --- |
/// | `fault.UNREGISTERED:…` | that error; works for every name that `FCMError.named` knows |
/// | `fault.retry-N:…` | UNAVAILABLE with Retry-After: N |
/// | `fault.slow-N:…` | accepted after N milliseconds |
/// | `fault.silence:…` | never answered |
/// | `fault.reset-N:…` | RST_STREAM N |
/// | `fault.goaway:…` | GOAWAY; open streams are answered |
/// | `fault.cut:…` | TCP reset |
enum FCMFaultName {
  static let mark = "fault."

  static func effect(of name: String) -> Effect? {
    guard name.hasPrefix(mark) else { return nil }
    let word = name.dropFirst(mark.utf8.count).prefix { $0 != ":" }
    if let error = FCMError.named(String(word)) { return .answer(.init(status: error.status, reason: String(word))) }
    let parts = word.split(separator: "-", maxSplits: 1)
    let number = parts.count == 2 ? Int(parts[1]) ?? 0 : 0
    switch parts.first {
    case "retry": return .answer(.init(status: 503, reason: "UNAVAILABLE", retryAfterSeconds: number))
    case "slow": return .slow(.milliseconds(number))
    case "silence": return .silence
    case "reset": return .reset(code: UInt32(clamping: number), thenClosed: false)
    case "goaway": return .goAway(.init())
    case "cut": return .cut(.reset)
    default: return nil
    }
  }
}
