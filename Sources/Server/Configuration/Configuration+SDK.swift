internal import Reactor
internal import API

/// The variables of the legacy API.
extension Configuration {
  static let sdkVariables = [
    Variable(
      name: "UPMC_CTL_CONTEXT", standard: "*",
      meaning: "paths in front of the SDK's controllers, by commas, for example /upmc,/push; *: any; /: none",
      korean: "SDK 컨트롤러 앞의 경로(쉼표로 구분, 예: `/upmc,/push`). `*`는 모든 경로, `/`는 경로 없음"),
    Variable(
      name: "UPMC_CTL_AUTHORIZATION", standard: "on",
      meaning: "on: the SDK's calls need its AUTHKEY; off: in apps that are open, a device's token is enough",
      korean: "`on`이면 SDK 호출에 `AUTHKEY`가 필요합니다. `off`이면 `open` 앱에서는 단말 토큰만으로 호출할 수 있습니다"),
    Variable(
      name: "UPMC_CTL_TRUSTED_SENDERS", standard: "",
      meaning: "networks of servers that may send by *.ctl without an API key, by commas, for example 10.1.0.0/16",
      korean: "API 키 없이 `*.ctl`로 발송할 수 있는 서버의 네트워크(쉼표로 구분, 예: `10.1.0.0/16`)"),
  ]

  mutating func setSDK(_ name: String, _ value: String) throws(Mistake) {
    switch name {
    case "UPMC_CTL_CONTEXT": sdk.contexts = try Self.contexts(name, value)
    case "UPMC_CTL_AUTHORIZATION":
      guard value == "on" || value == "off" else {
        throw Mistake(description: "\(name)=\(value) is neither on nor off.")
      }
      sdk.requiresKeys = value == "on"
    default: sdk.trustedSenders = TrustedAddresses(try Self.blocks(name, value))
    }
  }

  private static func contexts(_ name: String, _ value: String) throws(Mistake) -> [String]? {
    guard value != "*", !value.isEmpty else { return nil }
    var contexts: [String] = []
    for part in value.split(separator: ",") {
      guard part.hasPrefix("/") else {
        throw Mistake(description: "\(name)=\(value): \(part) is no path. Write for example /upmc,/push.")
      }
      contexts.append(part.hasSuffix("/") ? String(part.dropLast()) : String(part))
    }
    return contexts
  }

  private static func blocks(_ name: String, _ value: String) throws(Mistake) -> [IPBlock] {
    var blocks: [IPBlock] = []
    for part in value.split(separator: ",") {
      guard let block = IPBlock(part.filter { $0 != " " }) else {
        throw Mistake(
          description: "\(name)=\(value): \(part) is no network. Write for example 10.1.0.0/16,192.0.2.7.")
      }
      blocks.append(block)
    }
    return blocks
  }
}
