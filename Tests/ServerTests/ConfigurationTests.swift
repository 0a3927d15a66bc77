import Foundation
import Testing

@testable import Server

@Suite struct ConfigurationTests {
  /// What Kubernetes puts into every pod beside a Service called `upmc`.
  static let serviceLinks = [
    "UPMC_SERVICE_HOST": "10.0.0.1", "UPMC_SERVICE_PORT": "80", "UPMC_SERVICE_PORT_HTTP": "80",
    "UPMC_PORT": "tcp://10.0.0.1:80", "UPMC_PORT_80_TCP": "tcp://10.0.0.1:80", "UPMC_PORT_80_TCP_PROTO": "tcp",
    "UPMC_PORT_80_TCP_PORT": "80", "UPMC_PORT_80_TCP_ADDR": "10.0.0.1",
  ]

  @Test func `what Kubernetes says of a Service called upmc is no setting of ours`() throws {
    let configuration = try Configuration(environment: Self.serviceLinks.merging(["UPMC_LISTEN": ":81"]) { $1 })
    #expect(configuration.listenPort == 81)
  }

  @Test(arguments: [
    ["UPMC_PORT": "8080"], ["UPMC_PORTS": "tcp://10.0.0.1:80"], ["UPMC_SERVICES": "x"], ["UPMC_SERVICE": "x"],
    ["UPMC_DATABSE_URL": "x"],
  ]) func `what is only like it is a mistake`(_ environment: [String: String]) throws {
    let mistake = try #require(throws: Configuration.Mistake.self) { try Configuration(environment: environment) }
    #expect(mistake.description.hasPrefix("\(environment.keys.first!) is not a variable of UPMC."))
  }

  @Test(arguments: ["oauth2.googleapis.com/token", "https://", "https://host:x/token", "https://a host/token"])
  func `an address of access tokens that cannot be asked is a mistake`(_ url: String) throws {
    let environment = ["UPMC_FCM_TOKEN_URL": url]
    let mistake = try #require(throws: Configuration.Mistake.self) { try Configuration(environment: environment) }
    #expect(mistake.description == "UPMC_FCM_TOKEN_URL=\(url) is no URL. Write https://host/path.")
  }

  @Test func `nodes report the settings that affect all of them, including defaults`() throws {
    let standard = try Configuration(environment: [:]).sharedSettings
    #expect(standard.contains(#""UPMC_KEEP_HISTORY_DAYS":"90","UPMC_KEEP_MESSAGES_DAYS":"400""#), "\(standard)")
    let other = try Configuration(
      environment: ["UPMC_KEEP_MESSAGES_DAYS": "0", "UPMC_FCM_VALIDATE_ONLY": "true", "UPMC_MASTER_KEY": "secret"]
    ).sharedSettings
    #expect(other.contains(#""UPMC_KEEP_MESSAGES_DAYS":"0""#) && other.contains(#""UPMC_FCM_VALIDATE_ONLY":"true""#))
    #expect(!other.contains("secret") && other != standard)
  }

  @Test(arguments: ["docker-compose.yml", ".deploy/production.yml", "Tests/Deployment/outside.yml"])
  func `a variable of a compose file that begins like ours is one of ours`(_ file: String) throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    // Whoever exports it for compose has it in the environment of `upmc` too.
    let asked = Set(text.matches(of: #/\$\{?(UPMC_\w+)/#).map { String($0.1) })
    let known = Set(Configuration.variables.map(\.name))
    #expect(asked.subtracting(known).sorted() == [])
  }

  @Test func `the evaluation needs nothing but its file`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = try String(contentsOf: root.appending(path: "docker-compose.yml"), encoding: .utf8)
    #expect(!text.contains(":?"), "a variable that must be set")
    for name in ["UPMC_APNS_PRODUCTION_URL: ", "UPMC_FCM_URL: ", "UPMC_FCM_TOKEN_URL: "] {
      #expect(text.contains(name))
    }
  }

  @Test func `production listens by IPv4, where the engine leaves clients their addresses`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = try String(contentsOf: root.appending(path: ".deploy/production.yml"), encoding: .utf8)
    let ports = text.matches(of: #/\n    ports:\n(?:      #.*\n)*      - "(.*)"\n/#).map { String($0.1) }
    #expect(ports == ["${DEPLOY_ADDRESS:-0.0.0.0}:${DEPLOY_PORT:-443}:8443"])
  }

  @Test func `pods are told nothing of Services`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = try String(contentsOf: root.appending(path: ".deploy/kubernetes.yml"), encoding: .utf8)
    #expect(text.contains("      enableServiceLinks: false\n"))
  }

  @Test func `what the doctor asks for at the public address is let through in Kubernetes`() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    let text = try String(contentsOf: root.appending(path: ".deploy/kubernetes.yml"), encoding: .utf8)
    #expect(text.contains("          - {path: /health, pathType: Exact, backend: "))
  }
}
