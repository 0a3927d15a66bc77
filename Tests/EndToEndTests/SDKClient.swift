import Foundation
import Glibc

/// An app built with the existing SDK, as far as its protocol is publicly known: forms over a socket, and nothing of
/// ours. It keeps its key, asks for a new one on 40100 and on nothing else, and repeats the call once.
final class SDKClient {
  enum Encoding: CaseIterable {
    case plain, withCharset, multipart
  }

  struct File {
    let name: String
    let content: String
  }

  private let port: UInt16
  var encoding = Encoding.plain
  /// In front of the controllers.
  var context = "/upmc"
  var headers: [String] = []
  /// Sent with every call.
  var common: [String: String]
  var authKey: String?
  /// How often a key was asked for.
  private(set) var keysAsked = 0

  init(port: UInt16, appID: String, psid: String, deviceID: String, cuid: String = "GUEST", pnsID: String = "APNS") {
    self.port = port
    common = ["APP_ID": appID, "PSID": psid, "DEVICE_ID": deviceID, "CUID": cuid, "PNSID": pnsID, "PHONENUM": ""]
  }

  struct Failure: Error {
    let text: String
  }

  // MARK: Calls

  /// One call, with a key of its own accord: asked for first if there is none, and anew when it is not good any more.
  func call(_ controller: String, _ fields: [String: String] = [:]) throws -> SDKAnswer {
    if authKey == nil { try askKey() }
    let answer = try keyed(controller, fields)
    guard answer.code == "40100" else { return answer }
    try askKey()
    return try keyed(controller, fields)
  }

  private func keyed(_ controller: String, _ fields: [String: String]) throws -> SDKAnswer {
    let answer = try post(controller, fields.merging(["AUTHKEY": authKey ?? ""]) { given, _ in given })
    if let key = answer.row["AUTHKEY"] as? String { authKey = key }
    return answer
  }

  @discardableResult
  func askKey() throws -> SDKAnswer {
    keysAsked += 1
    let cuid = "TMP0" + (common["CUID"] ?? "")
    let answer = try post("asking_authorization.ctl", ["CUID": cuid])
    authKey = (answer.body as? [[String: Any]])?.first?["AUTHKEY"] as? String
    return answer
  }

  /// One call as it is, common fields and all.
  func post(_ controller: String, _ fields: [String: String] = [:], file: File? = nil) throws -> SDKAnswer {
    try send(controller, common.merging(fields) { _, given in given }, file: file)
  }

  func send(_ controller: String, _ fields: [String: String], file: File? = nil) throws -> SDKAnswer {
    switch file == nil ? encoding : .multipart {
    case .plain: try exchange(controller, "application/x-www-form-urlencoded", Self.form(fields))
    case .withCharset: try exchange(controller, "application/x-www-form-urlencoded;charset=UTF-8", Self.form(fields))
    case .multipart: try exchange(controller, "multipart/form-data; boundary=AaB03x", Self.multipart(fields, file))
    }
  }

  private static func form(_ fields: [String: String]) -> String {
    fields.map { "\(escape($0.key))=\(escape($0.value))" }.joined(separator: "&")
  }

  static func escape(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
      case 0x20: "+"
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  private static func multipart(_ fields: [String: String], _ file: File?) -> String {
    var parts = fields.map { "--AaB03x\r\nContent-Disposition: form-data; name=\"\($0.key)\"\r\n\r\n\($0.value)\r\n" }
    if let file {
      parts.append(
        "--AaB03x\r\nContent-Disposition: form-data; name=\"\(file.name)\"; filename=\"a.csv\"\r\n"
          + "Content-Type: text/csv\r\n\r\n\(file.content)\r\n")
    }
    return parts.joined() + "--AaB03x--\r\n"
  }

  // MARK: The wire

  /// One request on a connection of its own.
  func exchange(_ controller: String, _ type: String, _ body: String) throws -> SDKAnswer {
    try exchange(controller, type, Array(body.utf8))
  }

  func exchange(
    _ controller: String, _ type: String?, _ body: [UInt8], method: String = "POST"
  ) throws -> SDKAnswer {
    var head = "\(method) \(context)/\(controller) HTTP/1.1\r\nHost: push.example.com\r\nConnection: close\r\n"
    if let type { head += "Content-Type: \(type)\r\n" }
    for header in headers { head += header + "\r\n" }
    head += "Content-Length: \(body.count)\r\n\r\n"
    let reply = try roundTrip(Array(head.utf8) + body)
    let text = String(decoding: reply, as: UTF8.self)
    guard let split = text.range(of: "\r\n\r\n"), let status = Int(text.dropFirst(9).prefix(3)) else {
      throw Failure(text: "no answer: \(text)")
    }
    return SDKAnswer(status: status, head: String(text[..<split.lowerBound]), text: String(text[split.upperBound...]))
  }

  private func roundTrip(_ bytes: [UInt8]) throws -> [UInt8] {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    guard descriptor >= 0 else { throw Failure(text: "no socket") }
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else { throw Failure(text: "no connection") }
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      // The server may answer, and close, before it has read a body that is too large.
      guard count > 0 else { break }
      sent += count
    }
    var reply: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return reply }
      reply += buffer[..<count]
    }
  }
}

/// What came back.
struct SDKAnswer: CustomStringConvertible {
  let status: Int
  let head: String
  let text: String

  private var object: [String: Any] {
    (try? JSONSerialization.jsonObject(with: Data(text.utf8))) as? [String: Any] ?? [:]
  }

  private var header: [String: Any] { object["HEADER"] as? [String: Any] ?? [:] }

  /// A string, or nothing: the SDK compares it with "0000".
  var code: String? { header["RESULT_CODE"] as? String }
  var reason: String? { header["RESULT_BODY"] as? String }
  var service: String? { header["SERVICE"] as? String }
  var body: Any? { object["BODY"] }
  var rows: [[String: Any]] { body as? [[String: Any]] ?? [] }
  /// The one object of the BODY.
  var row: [String: Any] { body as? [String: Any] ?? rows.first ?? [:] }
  var isOK: Bool { status == 200 && code == "0000" }
  var description: String { "\(status) \(text)" }
}
