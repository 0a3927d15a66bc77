import Domain
import Postgres
import Store
import TestSupport
import Testing
import Time

@testable import Operations

/// The link that a new system offers to whoever installed it.
@Suite struct FirstAccountTests {
  private let database: TestDatabase
  private let connection: Connection
  private let now: Timestamp = 1_800_000_000_000_000

  init() throws {
    database = try TestDatabase.make()
    connection = try database.connect()
  }

  @Test func `an empty system has one account, however often it starts, until its owner has a password`() throws {
    let first = try #require(try ConsoleAccounts.firstLink(on: connection, now: now))
    let second = try #require(try ConsoleAccounts.firstLink(on: connection, now: now))
    #expect(first.account == second.account && first.token != second.token)
    try connection.script("UPDATE accounts SET password = 'chosen', salt = 'chosen'")
    #expect(try ConsoleAccounts.firstLink(on: connection, now: now) == nil)
    #expect(try ConsoleAccounts.demonstrationLink(on: connection, now: now)?.account == first.account)
  }

  @Test func `where accounts were made by hand, no other one is opened`() throws {
    _ = try ConsoleAccounts.create(
      "kim", name: "Kim", role: .viewer, appID: nil, by: .commandLine, on: connection, now: now)
    #expect(try ConsoleAccounts.firstLink(on: connection, now: now) == nil)
  }

  @Test func `a first account that was disabled stays shut`() throws {
    _ = try #require(try ConsoleAccounts.firstLink(on: connection, now: now))
    try connection.script("UPDATE accounts SET disabled_at = now()")
    #expect(try ConsoleAccounts.firstLink(on: connection, now: now) == nil)
    #expect(try ConsoleAccounts.demonstrationLink(on: connection, now: now) == nil)
  }
}
