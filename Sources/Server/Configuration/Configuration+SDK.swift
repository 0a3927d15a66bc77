internal import Reactor
internal import API

/// The variables of the legacy API.
extension Configuration {
  static let sdkVariables = [
    Variable(
      name: "UPMC_CTL_CONTEXT", standard: "*",
      meaning: "paths in front of the SDK's controllers, by commas, for example /upmc; *: any; /: none"),
    Variable(
      name: "UPMC_CTL_AUTHORIZATION", standard: "on",
      meaning: "on: the SDK's calls need its AUTHKEY; off: a device's token is believed"),
    Variable(
      name: "UPMC_CTL_TRUSTED_SENDERS", standard: "(none)",
      meaning: "networks of servers that may send by *.ctl without an API key, by commas, for example 10.1.0.0/16"),
  ]

  mutating func setSDK(_ name: String, _ value: String) throws(Mistake) {
    switch name {
    case "UPMC_CTL_CONTEXT": sdk.contexts = try Self.contexts(name, value)
    case "UPMC_CTL_AUTHORIZATION":
      guard value == "on" || value == "off" else {
        throw Mistake(description: "\(name)=\(value) is neither on nor off.")
      }
      sdk.demandsKeys = value == "on"
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
