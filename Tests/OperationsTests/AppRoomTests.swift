import Domain
import Postgres
import TestSupport
import Testing
import Time

@testable import Operations

/// What an app can have only so many of, because all nodes and all apps share what each costs.
@Suite struct AppRoomTests {
  private let database: TestDatabase
  private let connection: Connection
  private let appID = "com.example.bank"

  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
    _ = try Administration.createApp(
      appID, name: "Bank", timeZone: "Asia/Seoul", by: .commandLine, on: connection)
  }

  /// The code with which it is refused; nil: it is not.
  private func refusal(_ body: () throws(Problem) -> Void) -> Problem.Code? {
    do throws(Problem) {
      try body()
      return nil
    } catch {
      return error.code
    }
  }

  @Test func `an app's keys are limited until some are revoked, those for all apps are not`() throws {
    func make(_ appID: String?) -> Problem.Code? {
      refusal { () throws(Problem) in
        _ = try Administration.createKey(.viewer, appID: appID, by: .commandLine, on: connection)
      }
    }
    try connection.script(
      """
      INSERT INTO api_keys (sha256, role, app)
      SELECT int4send(n), 'viewer', 1 FROM generate_series(1, \(Operations.Limits.keysOfApp - 1)) n
      """)
    #expect(make(appID) == nil)
    #expect(make(appID) == .conflict)
    #expect(make(nil) == nil)
    _ = try Administration.revokeKey(1, by: .commandLine, on: connection)
    #expect(make(appID) == nil)
  }

  @Test func `an app's webhooks are limited until some are deleted`() throws {
    let master = try MasterKey(bytes: MasterKey.makeBytes())
    func make() -> Problem.Code? {
      refusal { () throws(Problem) in
        var new = WebhookService.NewWebhook()
        (new.appID, new.url, new.kinds) = (appID, "https://events.example.com", Array(EventKind.wanted.prefix(1)))
        _ = try WebhookService.create(
          new, at: .any, master: master, by: .commandLine, on: connection, now: Timestamp(seconds: 1_800_000_000))
      }
    }
    for _ in 1...Operations.Limits.webhooksOfApp { #expect(make() == nil) }
    #expect(make() == .conflict)
    try WebhookService.delete("1", by: .commandLine, on: connection)
    #expect(make() == nil)
  }
}
