import Foundation
import TestSupport
import Testing

@testable import Server

/// The first link into the console: shown to a person, or left where only the server's user reads, and never in a log.
@Suite struct FirstSignInTests {
  private let directory = TemporaryDirectory.make()
  private let first: FirstSignIn

  init() {
    var configuration = Configuration()
    configuration.dataDirectory = directory
    configuration.command = "docker compose exec upmc upmc"
    first = FirstSignIn(address: "https://push.example.com/#sign-in=SECRET", account: 1, configuration: configuration)
  }

  @Test func `without a terminal it is in a private file, and the log says how to get another one`() throws {
    defer { TemporaryDirectory.remove(directory) }
    for _ in 1...2 {
      let line = first.tell(terminal: nil)
      #expect(!line.contains("SECRET"))
      #expect(line.contains("docker compose exec upmc upmc account link 1"))
      let path = directory + "/first-sign-in"
      #expect(line.contains(path))
      #expect(try String(contentsOfFile: path, encoding: .utf8) == "https://push.example.com/#sign-in=SECRET\n")
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o600)
    }
  }

  @Test func `a terminal shows it`() {
    defer { TemporaryDirectory.remove(directory) }
    var shown = ""
    let line = first.tell { shown += $0 }
    #expect(shown.contains("#sign-in=SECRET") && !line.contains("SECRET"))
    #expect(!FileManager.default.fileExists(atPath: directory + "/first-sign-in"))
  }

  @Test func `a directory that cannot be written is said, and the way around it`() {
    TemporaryDirectory.remove(directory)
    let line = first.tell(terminal: nil)
    #expect(line.contains("could not be written") && line.contains("account link 1") && !line.contains("SECRET"))
  }
}
