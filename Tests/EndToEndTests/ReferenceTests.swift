import Foundation
import HTTPServer
import JSON
import Reactor
import TestSupport
import TestTier
import Testing

@testable import API

/// The samples of the API reference, run as a reader runs them.
@Suite(.slow, .serialized) struct ReferenceTests {
  private static let reference = Reference(Document.make(), .english, words: nil)
  private static let operations = reference.areas.flatMap(\.operations)

  /// These need a browser's session or somebody who waits for approval, or their answer never ends.
  private static let notRead = [
    "listSessions", "showSecondFactor", "beginOpenID", "signInByOpenID", "watchMessage", "watchOverview",
    "showApproval",
  ]

  @Test func `the page shows the samples that are run here`() throws {
    for area in Self.reference.areas {
      let page = try #require(Self.reference.body(ofPage: area.slug))
      for operation in area.operations where !operation.isEvent {
        let call = Self.reference.sample(of: operation)
        for language in SampleLanguages.all {
          #expect(page.contains(ReferenceText.block(language.source(call))), "\(operation.id)")
        }
      }
    }
  }

  @Test func `the samples of every operation that reads run as they stand in curl, Python, Node and Java`() throws {
    let stage = try ExampleStage()
    let calls = try Endpoint.all.filter { $0.method == .get && !Self.notRead.contains($0.id) }
      .map { try filled($0, stage) }
    #expect(calls.count > 60)
    try expectSuccess(of: calls)
  }

  @Test func `the samples of a send send`() throws {
    let world = try World()
    let operation = try #require(Self.operations.first { $0.id == "sendMessage" })
    let content = operation.node["requestBody"]?["content"]?["application/json"]
    let example = try #require(content?["examples"]?.members.first?.value["value"])
    let body = JSONTree.object(
      example.members.map { $0.name == "appId" ? ($0.name, .text(World.appID)) : $0 } + [("dryRun", .flag(true))])
    let node = JSONTree.object(
      operation.node.members.filter { $0.name != "requestBody" } + [
        ("requestBody", .object([("content", .object([("application/json", .object([("example", body)]))]))]))
      ])
    let call = SampleCall(node, operation.method, operation.path, Self.reference.parameters(of: operation))
      .with(["url": "http://127.0.0.1:\(world.port)", "apiKey": world.apiKey])
    try expectSuccess(of: [call])
  }

  // MARK: Running

  /// The operation's call with the address and the key of a server, and with what exists there.
  private func filled(_ endpoint: Endpoint, _ stage: ExampleStage) throws -> SampleCall {
    let operation = try #require(Self.operations.first { $0.id == endpoint.id })
    let call = Self.reference.sample(of: operation)
    let (target, credential) = try stage.prepare(endpoint)
    let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
    var values = ["url": "http://127.0.0.1:\(stage.world.port)"]
    if let scheme = call.credential { values[scheme] = credential }
    for (name, value) in zip(endpoint.pattern.split(separator: "/"), parts[0].split(separator: "/"))
    where name.first == "{" {
      values[String(name.dropFirst().dropLast())] = String(value)
    }
    for item in parts.dropFirst().first?.split(separator: "&") ?? [] {
      let pair = item.split(separator: "=", maxSplits: 1).map(String.init)
      values[pair[0]] = pair[1]
    }
    return call.with(values)
  }

  private func expectSuccess(of calls: [SampleCall]) throws {
    for call in calls {
      let curl = CurlSample.source(call)
      let status = try run(["/bin/sh", "-c", curl + " -o /dev/null -w '%{http_code}'"])
      #expect(status.hasPrefix("2"), "\(status)\n\(curl)")
    }
    let names = calls.map(JavaSample.className)
    // Each program is a file, as its reader keeps it. One process runs all: starting one takes longer than a call.
    try expectSuccess(of: calls, PythonSample.self, "py") { directory in
      """
      import runpy, traceback
      for name in \(names):
          print(f"\\n#{name} ", end="")
          try:
              runpy.run_path(f"\(directory)/{name}.py", run_name="__main__")
          except Exception:
              print(traceback.format_exc())
      """
    } command: {
      ["python3", $0]
    }
    try expectSuccess(of: calls, NodeSample.self, "mjs") { directory in
      """
      for (const name of \(names)) {
        process.stdout.write(`\\n#${name} `);
        await import(`\(directory)/${name}.mjs`).catch((problem) => console.log(problem));
      }
      """
    } command: {
      ["node", $0]
    }
    try expectSuccess(of: calls, JavaSample.self, "java") { _ in
      let runs = names.map { "System.out.print(\"\\n#\($0) \"); \($0).main(arguments);\n" }.joined()
      return "class RunAll { public static void main(String[] arguments) throws Exception {\n\(runs)} }\n"
    } command: { runner in
      // Compiles all programs at once.
      let directory = runner.split(separator: "/").dropLast().map { "/\($0)" }.joined()
      let files = (names + ["RunAll"]).map { "\(directory)/\($0).java" }
      let complaints = try run(["javac", "-encoding", "UTF-8", "-d", directory] + files)
      #expect(complaints == "")
      return ["java", "-cp", directory, "RunAll"]
    }
  }

  /// Runs the samples of one language one after the other, and expects that each prints a status of success first.
  /// - Parameters:
  ///   - suffix: of the files.
  ///   - runner: source of the program that runs those of a directory, and prints a line `#NAME ` before each.
  ///   - command: how to run the runner, given its path.
  private func expectSuccess(
    of calls: [SampleCall], _ language: any SampleLanguage.Type, _ suffix: String, runner: (String) -> String,
    command: (String) throws -> [String]
  ) throws {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    for call in calls {
      TemporaryDirectory.write("\(directory)/\(JavaSample.className(call)).\(suffix)", language.source(call))
    }
    let path = "\(directory)/RunAll.\(suffix)"
    TemporaryDirectory.write(path, runner(directory))
    let lines = try run(command(path)).split(separator: "\n")
    for call in calls {
      let start = "#\(JavaSample.className(call)) "
      let line = lines.first { $0.hasPrefix(start) } ?? ""
      #expect(line.hasPrefix("\(start)2"), "\(line)\n\(language.source(call))")
    }
  }

  /// What a program prints, complaints included.
  private func run(_ words: [String]) throws -> String {
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try ChildProcess.run(
      words, environment: ["PATH=\(path)"], withErrors: true, atMost: .patience
    ).text
  }

  @Test func `a shell's quotes hold any text`() throws {
    for text in ["a'b", "$(id) `id` \"x\"", "'", "''", "한글 \\ \\n"] {
      let report = try ChildProcess.run(
        ["/bin/sh", "-c", "printf %s \(CurlSample.literal(text))"],
        atMost: .patience)
      #expect(String(decoding: report.output, as: UTF8.self) == text)
    }
  }

  @Test(arguments: [
    ("clientUid", "CLIENT_UID"), ("Idempotency-Key", "IDEMPOTENCY_KEY"), ("X-CSRF-Token", "X_CSRF_TOKEN"),
  ])
  func `a name becomes a variable of the shell`(name: String, variable: String) {
    #expect(SampleName.capitals(name) == variable)
  }
}
