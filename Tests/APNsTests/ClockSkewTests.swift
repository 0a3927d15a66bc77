import Domain
import Reactor
import Testing

@testable import APNs

/// "Too many token updates" and "expired token" are at most installations the fault of a clock, or of many tokens.
@Suite struct ClockSkewTests {
  // The harness's clock stands at 2026-01-01 00:00:00 UTC.
  private static let hourBefore = "Wed, 31 Dec 2025 23:00:00 GMT"
  private static let twoHoursLater = "Thu, 01 Jan 2026 02:00:00 GMT"

  private func reasons(_ results: [SubmissionResult]) -> Set<String> {
    Set(results.compactMap { if case .credentialFault(let reason) = $0 { reason } else { nil } })
  }

  @Test func `a token refused because our clock is ahead says so, by how much`() throws {
    let server = try TestServer { _ in
      .dated(status: 403, body: #"{"reason":"InvalidProviderToken"}"#, date: Self.hourBefore)
    }
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    harness.sender.set(harness.makeToken("fresh", age: 0))
    let all = reasons(harness.send(0..<5))
    #expect(all == ["InvalidProviderToken; this machine's clock is 3600 s ahead of Apple's, set it by NTP"])
  }

  @Test func `a token expired because our clock is behind is not minted again and again`() throws {
    let server = try TestServer { _ in
      .dated(status: 403, body: #"{"reason":"ExpiredProviderToken"}"#, date: Self.twoHoursLater)
    }
    defer { server.stop() }
    let harness = try Harness(server, token: false)
    harness.sender.set(harness.makeToken("fresh", age: 60))
    let all = reasons(harness.send(0..<5))
    #expect(
      all == [
        "ExpiredProviderToken for a token 60 s old; this machine's clock is 7200 s behind Apple's, set it by NTP"
      ])
    #expect(harness.tokenRequests.takeAll().isEmpty)
  }

  @Test func `clocks that agree are not mentioned`() throws {
    let server = try TestServer { _ in
      .dated(status: 403, body: #"{"reason":"Forbidden"}"#, date: "Thu, 01 Jan 2026 00:04:59 GMT")
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(reasons(harness.send(0..<5)) == ["Forbidden"])
  }

  @Test func `an answer of 200 tells the time too, on a new connection`() throws {
    let server = try TestServer { request in
      request.connection == 0 && request.index == 0
        ? .dated(status: 200, body: "", date: Self.hourBefore)
        : .refuse(status: 403, body: #"{"reason":"InvalidProviderToken"}"#)
    }
    defer { server.stop() }
    let harness = try Harness(server)
    #expect(harness.send(0..<1) == [.accepted])
    harness.advance(by: .seconds(1))
    #expect(reasons(harness.send(1..<3)).contains { $0.contains("3600 s ahead") })
  }

  @Test func `one token serves all connections of a key, and a new one is used by all at once`() throws {
    let server = try TestServer()
    defer { server.stop() }
    let harness = try Harness(server, connections: 3, streams: 10)
    harness.sender.set(.token(KeyName(teamID: "TEAM123456", keyID: "KEY1234567", fingerprint: "f")), for: 8)
    let other = PushRoute(app: 8, network: .apns, environment: .sandbox)
    let one = harness.offer(harness.makeMessage(seqno: 1), 0..<200)
    let two = harness.offer(harness.makeMessage(seqno: 2), 0..<200, route: other)
    #expect(harness.wait(for: one).count == 200 && harness.wait(for: two).count == 200)
    #expect(Set(server.requests.map { $0.fields["authorization"] }) == ["bearer first"])
    harness.sender.set(harness.makeToken("second", age: 0))
    let before = server.requests.count
    let three = harness.offer(harness.makeMessage(seqno: 3), 0..<50)
    let four = harness.offer(harness.makeMessage(seqno: 4), 0..<50, route: other)
    #expect(harness.wait(for: three).count == 50 && harness.wait(for: four).count == 50)
    #expect(Set(server.requests.dropFirst(before).map { $0.fields["authorization"] }) == ["bearer second"])
  }
}
