import Foundation
import Operations
import Postgres
import Reactor
import TestSupport
import TestTier
import Testing

@testable import Server

/// Films and long lists of users, several at a time.
@Suite(.slow, .serialized) struct LargeUploadTests {
  private let world: World

  init() throws {
    world = try World()
  }

  /// Bytes that are a film to whoever looks at the first ones.
  private static func film(_ bytes: Int) -> [UInt8] {
    Array("\0\0\0\u{18}ftypmp42".utf8) + [UInt8](repeating: 7, count: bytes - 12)
  }

  /// The most memory that a process has had, in MiB.
  private static func peak(_ process: Int32) throws -> Int {
    let status = try #require(TemporaryDirectory.read("/proc/\(process)/status"))
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(Int(line.split(separator: " ").dropFirst().first ?? "")) / 1_024
  }

  /// Sends all at once, each from a thread of its own; their statuses in the order they end.
  private func post(_ requests: [(head: String, body: [UInt8])], to port: UInt16) throws -> [Int] {
    let answers = try Inbox<Int>(capacity: requests.count)
    for (head, body) in requests {
      _ = try Thread(name: "uploads") { _ = answers.offer((try? RawHTTP(port: port, head, body: body).status) ?? 0) }
    }
    var statuses: [Int] = []
    while statuses.count < requests.count { statuses += answers.receive(atMost: .patience) }
    return statuses
  }

  @Test func `six films and four long lists at once are stored, and the server's memory stays flat`() throws {
    let server = try world.process(["UPMC_PUBLIC_URL": World.publicURL])
    try server.start()
    _ = try poll("the server does not serve: \(server.output.suffix(2000))") {
      (try? TestClient(port: server.port).call("GET", "/health"))?.status == 200 ? true : nil
    }
    defer { _ = server.stop() }
    let key = "\nAuthorization: Bearer \(world.apiKey)"
    let film = (head: "POST /v1/admin/uploads?appId=\(World.appID) HTTP/1.1\(key)", body: Self.film(40_000_000))
    #expect(try post([(film.head, Self.film(1_000_000))], to: server.port) == [201])
    let process = try #require(server.identifier)
    let before = try Self.peak(process)
    let lists = (0..<4).map { list in
      var text = ""
      for number in 0..<100_000 { text += "user\(list)-\(number),Name of somebody \(number),\(number),second value\n" }
      return (
        head: "POST /v1/admin/audiences/csv?appId=\(World.appID) HTTP/1.1\(key)\nContent-Type: text/csv",
        body: Array(text.utf8)
      )
    }
    #expect(try post(Array(repeating: film, count: 6), to: server.port) == Array(repeating: 201, count: 6))
    #expect(try post(lists, to: server.port) == Array(repeating: 201, count: 4))
    let count = Statement("test-bytes", "SELECT sum(bytes)::int8 FROM hosted_files")
    #expect(try world.connection.run(count).int64(0, 0) == 241_000_000)
    let lines = Statement("test-lines", "SELECT count(*) FROM csv_lines")
    #expect(try world.connection.run(lines).int64(0, 0) == 400_000)
    let grown = try Self.peak(process) - before
    // 240 MB of films and 20 MB of lists came in. Sanitizers remember what was freed.
    #expect(grown < 64 || Sanitizers.areWatching, "the server grew by \(grown) MiB, from \(before)")
  }

  @Test func `the console uploads as much as an API key, and nobody without either`() throws {
    let link = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .operator, appID: nil, by: .commandLine, on: world.connection,
      now: SystemClock().wallTime)
    let port = world.server.address.port
    let signedIn = try RawHTTP(
      port: port, "POST /v1/admin/session HTTP/1.1\nContent-Type: application/json",
      body: Array(#"{"link":"\#(link.token)"}"#.utf8))
    let csrf = try #require(signedIn.json?["csrfToken"] as? String, "\(String(decoding: signedIn.body, as: UTF8.self))")
    let cookie = try #require(signedIn.headers["set-cookie"]?.split(separator: ";").first)
    func upload(_ credential: String) throws -> Int {
      try RawHTTP(
        port: port, "POST /v1/admin/uploads?appId=\(World.appID) HTTP/1.1\(credential)", body: Self.film(20_000_000)
      ).status
    }
    #expect(try upload("\nCookie: \(cookie)\nX-CSRF-Token: \(csrf)") == 201)
    #expect(try upload("\nCookie: \(cookie)") == 403)
    #expect(try upload("\nCookie: \(cookie)x\nX-CSRF-Token: \(csrf)") == 401)
    #expect(try upload("") == 413)
    #expect(try upload("\nAuthorization: Bearer \(world.clientKey)") == 401)
  }
}
