import Foundation
import Operations
import Postgres
import Reactor
import TestSupport
import Testing

@testable import Server

/// Whose an upload is, is known before any of it is taken.
@Suite struct UploadProofTests {
  private let world: World

  init() throws {
    world = try World()
  }

  /// What a client that waits for leave is told first.
  private func told(_ credential: String) throws -> String {
    let address = try #require(SocketAddress.resolve(host: "127.0.0.1", port: world.server.address.port).first)
    let socket = try Socket.connect(to: address)
    let head = """
      POST /v1/admin/uploads?appId=\(World.appID) HTTP/1.1\r\nHost: a\r\nContent-Length: 20000000\r\n\
      Expect: 100-continue\r\n\(credential)\r\n\r\n
      """
    var (sent, text) = (false, "")
    return try poll("nothing is answered") {
      if !sent { sent = Array(head.utf8).withUnsafeBytes { socket.send($0) } == .bytes(head.utf8.count) }
      var piece = [UInt8](repeating: 0, count: 4_096)
      if sent, case .bytes(let count) = piece.withUnsafeMutableBytes({ socket.receive(into: $0) }) {
        text += String(decoding: piece.prefix(count), as: UTF8.self)
      }
      return text.contains("\r\n") ? String(text.prefix { $0 != "\r\n" }) : nil
    }
  }

  @Test func `a made-up cookie or key brings nothing to the disk, a good one goes on at the first try`() throws {
    let link = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .operator, appID: nil, by: .commandLine, on: world.connection,
      now: SystemClock().wallTime)
    let signedIn = try RawHTTP(
      port: world.server.address.port, "POST /v1/admin/session HTTP/1.1\nContent-Type: application/json",
      body: Array(#"{"link":"\#(link.token)"}"#.utf8))
    let cookie = try #require(signedIn.headers["set-cookie"]?.split(separator: ";").first)
    // What a browser would send, with another secret.
    let madeUp = "\(cookie.prefix { $0 != "=" })=made-up"
    for credential in ["Cookie: \(madeUp)", "Authorization: Bearer upmc_made_up"] {
      #expect(try told(credential) == "HTTP/1.1 401 Unauthorized", "\(credential)")
    }
    #expect(try told("Cookie: \(cookie)") == "HTTP/1.1 100 Continue")
    let fresh = try Administration.createKey(.sender, appID: World.appID, by: .commandLine, on: world.connection).apiKey
    #expect(try told("Authorization: Bearer \(fresh)") == "HTTP/1.1 100 Continue")
    let viewer = try Administration.createKey(.viewer, appID: World.appID, by: .commandLine, on: world.connection)
      .apiKey
    #expect(try told("Authorization: Bearer \(viewer)") == "HTTP/1.1 413 Content Too Large")
  }
}
