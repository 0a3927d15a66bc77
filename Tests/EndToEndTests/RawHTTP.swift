import Foundation
import Glibc
import Testing

/// One request over a plain socket, and every byte that comes back.
struct RawHTTP {
  let status: Int
  let headers: [String: String]
  let body: [UInt8]

  /// - Parameters:
  ///   - head: request line and headers without Host and Connection, lines separated by `\n`.
  init(port: UInt16, _ head: String, body: [UInt8] = []) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(connected == 0)
    var text = head.split(separator: "\n").joined(separator: "\r\n") + "\r\nHost: localhost\r\nConnection: close\r\n"
    if !body.isEmpty, !head.contains("Transfer-Encoding") { text += "Content-Length: \(body.count)\r\n" }
    let bytes = Array((text + "\r\n").utf8) + body
    var sent = 0
    while sent < bytes.count {
      let count = bytes[sent...].withUnsafeBytes {
        send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      // A server that refuses early stops reading.
      guard count > 0 else { break }
      sent += count
    }
    var answer: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      answer += buffer[..<count]
    }
    let end = try #require(Self.endOfHead(answer))
    let lines = String(decoding: answer[..<end], as: UTF8.self).components(separatedBy: "\r\n")
    status = try #require(Int(lines[0].split(separator: " ")[1]))
    var headers: [String: String] = [:]
    for line in lines.dropFirst() {
      guard let colon = line.firstIndex(of: ":") else { continue }
      headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
    }
    self.headers = headers
    self.body = Array(answer[(end + 4)...])
  }

  private static func endOfHead(_ bytes: [UInt8]) -> Int? {
    bytes.indices.dropLast(3).first {
      bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
    }
  }

  var json: [String: Any]? { try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any] }
}
