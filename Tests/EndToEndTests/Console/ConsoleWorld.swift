import Foundation
import Operations
import Postgres
import Reactor
import Simulator
import TestSupport
import Testing

@testable import Server

/// A world with the console before it, and a browser.
final class ConsoleWorld {
  let world: World
  let browser: Browser
  private let directory = TemporaryDirectory.make()

  /// - Parameters:
  ///   - publicURL: how devices reach the server; plain HTTP, as people try it out.
  ///   - port: the server's; 0 for any.
  ///   - configure: how else the server differs.
  init(
    isEmpty: Bool = false, publicURL: String? = nil, port: UInt16 = 0,
    configure: (inout Configuration) throws -> Void = { _ in }
  ) throws {
    world = try World(isEmpty: isEmpty) { configuration in
      configuration.publicDirectory = TestDatabase.migrationsDirectory + "/../Public"
      configuration.publicURL = publicURL
      configuration.listenPort = port
      try configure(&configuration)
    }
    browser = try Browser(port: world.server.address.port)
  }

  deinit { TemporaryDirectory.remove(directory) }

  var connection: Connection { world.connection }

  /// Opens the console as somebody who has signed in, in a language.
  func enter(_ language: String, login: String = "kim@example.com", name: String = "Kim Jiwon") throws {
    let link = try link(login, name)
    // A password that nobody knows: links open the account all the same, and do not ask for one.
    try connection.script("UPDATE accounts SET password = 'unknown', salt = 'unknown'")
    // A browser that was nowhere yet speaks English.
    if try language != "en" || browser.script("return location.protocol") as? String == "http:" {
      try browser.open("/")
      try browser.waitFor("input[name=login]")
      // Who was here before may have chosen it already.
      if try browser.script("return document.documentElement.lang") as? String != language { try choose(language) }
    }
    try browser.open(link.path)
    try browser.waitFor("main[data-ready='/']")
    try expect(language)
  }

  /// Makes the page keep in `window.streams` the event streams that it opens from now on.
  func keepStreams() throws {
    try browser.script(
      """
      window.streams = [];
      window.EventSource = class extends EventSource {
        constructor(address) {
          super(address);
          window.streams.push(this);
        }
      };
      """)
  }

  /// Opens an account, which is made where it is not there yet.
  private func link(_ login: String, _ name: String) throws -> ConsoleAccounts.Link {
    let known = try connection.run(
      Statement("test-account-\(login)", "SELECT account FROM accounts WHERE login = '\(login)'", isKept: false))
    guard known.count == 1 else { return try invite(login, name) }
    return try ConsoleAccounts.link(known.int32(0, 0), by: .commandLine, on: connection, now: world.now)
  }

  /// Makes an account, as an administrator does some day before.
  @discardableResult
  func invite(_ login: String, _ name: String) throws -> ConsoleAccounts.Link {
    try ConsoleAccounts.create(
      login, name: name, role: .admin, appID: nil, by: .commandLine, on: connection, now: world.now)
  }

  /// Chooses the language on the page where people sign in.
  func choose(_ language: String) throws {
    guard language != "en" else { return }
    try browser.click("button[lang=\(language)]")
    try browser.wait("the page in \(language)", "return document.documentElement.lang === arguments[0]", [language])
    try browser.waitFor("input[name=login]")
  }

  /// The page speaks the language, and no word is missing.
  func expect(_ language: String) throws {
    let lang = try browser.script("return document.documentElement.lang") as? String
    #expect(lang == language)
    let text = try browser.script("return document.body.innerText") as? String ?? ""
    let way = try browser.script("return document.querySelector('nav.side').innerText") as? String ?? ""
    let hasHangul = way.unicodeScalars.contains { (0xAC00...0xD7A3).contains($0.value) }
    #expect(hasHangul == (language == "ko"), "\(way)")
    for match in text.matches(of: /\b(nav|do|message|compose|funnel|state|reason|begin|problem)\.[a-z][a-z.-]+\b/) {
      Issue.record("a word is missing: \(match.0)")
    }
  }

  func signOut() throws {
    try browser.click(".me summary")
    try browser.click("#sign-out")
    try browser.waitFor("input[name=login]")
  }

  /// A file that the browser can be pointed at.
  func file(_ name: String, _ text: String) -> String {
    let path = "\(directory)/\(name)"
    TemporaryDirectory.write(path, text)
    return path
  }

  /// A picture that the browser can be pointed at.
  func picture() throws -> String {
    let path = "\(directory)/picture.png"
    let png =
      "iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mNkYPhfz0AEYBxVSF+FAP5FDvcfRYWgAAAAAElFTkSuQmCC"
    try #require(Data(base64Encoded: png)).write(to: URL(filePath: path))
    return path
  }

  /// Adds the provider's signing key on the page of an app, and waits until it is listed.
  func addKey() throws {
    let key = world.started.providerKey
    try browser.click("#add-key")
    try browser.choose("dialog[open] input[type=file]", file: file("AuthKey.p8", key.privateKeyPEM))
    try browser.type("dialog[open] input[name=keyId]", key.keyID)
    try browser.type("dialog[open] input[name=teamId]", key.teamID)
    try browser.click("dialog[open] [type=submit]")
    try browser.wait(
      "the credential", "return document.querySelector('main').innerText.includes(arguments[0])", [key.keyID])
  }

  /// Virtual devices: they register, and confirm and read what they get.
  func startDevices(_ count: Int, users: Int, appID: String = World.appID, clientKey: String? = nil) throws {
    var plan = VirtualDevices.Plan(
      count: count, server: "http://127.0.0.1:\(world.server.address.port)", appID: appID,
      clientKey: clientKey ?? world.clientKey, users: users)
    plan.readProbability = 1
    try world.simulator.startDevices(plan)
  }

  func waitForDevices(_ count: Int) throws {
    _ = try poll("the virtual devices have not registered") {
      (world.simulator.deviceCounters?.registered ?? 0) >= count ? true : nil
    }
  }

  /// Sends what is written on the page, answers the question, and waits for the message's page.
  /// - Parameter count: what must be typed in, when many get it.
  func send(typing count: Int? = nil) throws {
    try browser.click("#send")
    try browser.waitFor("dialog[open] [type=submit]")
    if let count { try browser.type("dialog[open] input[name=typed]", String(count)) }
    try browser.click("dialog[open] [type=submit]")
    try browser.waitFor("main[data-ready^='/messages/']")
    try browser.waitFor("#funnel")
  }

  /// The number of the message whose page is shown.
  func seqno() throws -> String {
    let hash = try browser.script("return location.hash") as? String ?? ""
    return try #require(hash.firstMatch(of: /#\/messages\/(\d+)/).map { String($0.1) })
  }
}
