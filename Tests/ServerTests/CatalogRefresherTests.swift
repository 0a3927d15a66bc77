import Operations
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite struct CatalogRefresherTests {
  @Test func `a change that another process makes counts here as soon as it is announced`() throws {
    let database = try TestDatabase.make()
    let catalog = try Catalog()
    let refresher = try CatalogRefresher(
      databaseURL: database.url, catalog: catalog, interval: .seconds(3_600), forgive: { _ in },
      makeTurn: { { _ in } })
    defer { refresher.stop() }
    _ = try poll("the catalog is not loaded") { catalog.generation > 0 ? true : nil }
    let created = try Administration.createApp(
      "com.example.bank", name: "Bank", timeZone: "Asia/Seoul", by: .commandLine, on: try database.connect())
    _ = try poll("the app is not known") { catalog.app(clientKey: created.clientKey) }
  }
}
