import JSON
import Synchronization

@testable import API

/// Holds what the server sends to others, and not only what it answers, against its document.
enum DocumentedWire {
  private static let check = SchemaCheck(document: Document.make())
  /// Payloads to APNs that were found to be right: tests read all payloads of a token each time that they look for one.
  private static let faultless = Mutex<Set<[UInt8]>>([])

  /// What is wrong with a webhook's body; empty when all is well.
  static func faults(ofEvent body: [UInt8], _ kind: String) -> [String] {
    let schema = check.document["webhooks"]?[kind]?["post"]?["requestBody"]?["content"]?["application/json"]?["schema"]
    guard let schema else { return ["the document has no event \(kind)"] }
    return check.faults(.json(String(decoding: body, as: UTF8.self)), schema)
  }

  /// What is wrong with a payload that came through a push network, as an app reads it.
  static func faults(ofPayload payload: [UInt8], from network: String = "APNS") -> [String] {
    guard let schema = check.document["x-pushes"]?[network]?["schema"] else { return ["\(network) is not documented"] }
    let text = String(decoding: payload, as: UTF8.self)
    guard network != "APNS" else {
      if faultless.withLock({ $0.contains(payload) }) { return [] }
      let faults = check.faults(.json(text), schema)
      if faults.isEmpty { faultless.withLock { _ = $0.insert(payload) } }
      return faults
    }
    // An app finds the payload as a text in the data.
    return check.faults(.object([("message", .text(text))]), schema) + faults(ofPayload: payload)
  }
}
