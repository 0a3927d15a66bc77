import TestSupport
import Testing

@Suite struct CommandOutcomeTests {
  let program: Program

  init() throws {
    program = try Program()
  }

  @Test func `wrong usage is 2, and shows the right one`() throws {
    // Alone, a command that only has parts shows its help.
    for arguments in [[], ["app"]] { #expect(try program.run(arguments, removing: []).status == 0) }
    for arguments in [
      ["app", "create"], ["bogus"], ["app", "create", "a"], ["key", "create", "--role", "king"],
      ["status", "x"], ["status", "--follow"], ["status", "1", "--lane", "urgent"],
      ["send", "a", "--body", "hi"], ["send", "a", "--all", "--members"],
      ["send", "a", "--all", "--title", "t"], ["send", "a", "--all", "--body", "b", "--badge", "1001"],
      ["send", "a", "--all", "--body", "b", "--badge", "x"], ["send", "a", "--all", "--body", "b", "--badge", "+0"],
      ["send", "a", "--all", "--body", "b", "--data", "[1]"], ["send", "a", "--all", "--body", "b", "--data", "{"],
      ["group", "create", "a", "--name", "g", "--parent", "x"], ["app", "list", "--bogus"],
    ] {
      let ended = try program.run(arguments, removing: [])
      #expect(ended.status == 2, "\(arguments)")
      #expect(ended.lines.isEmpty, "\(arguments)")
      #expect(ended.complaint.contains("Usage: upmc"), "\(arguments): \(ended.complaint)")
    }
  }

  @Test func `help is 0, on standard output, with an example`() throws {
    for arguments in [
      ["serve"], ["migrate"], ["app", "create"], ["app", "credential"], ["app", "list"], ["app", "resume"],
      ["group", "create"], ["key", "create"], ["send"], ["status"], ["demo"],
    ] {
      let help = try program.run(arguments + ["--help"], removing: [])
      #expect(help.status == 0 && help.complaint.isEmpty)
      let command = "  upmc \(arguments.joined(separator: " "))"
      #expect(help.lines.contains { $0.hasPrefix(command) || $0.contains(" upmc \(arguments[0])") }, "\(arguments)")
      // The parser writes all of a command's options on one line.
      #expect(help.lines.allSatisfy { $0.count <= 120 || $0.hasPrefix("USAGE: ") })
    }
  }

  @Test func `what fails is 1, with one sentence on standard error`() throws {
    for (arguments, beginning) in [
      (["app", "resume", "nope"], "upmc: There is no app nope."),
      (["app", "create", "a b", "--name", "n"], "upmc: appId must be a bundle identifier"),
      (["status", "7"], "upmc: There is no message 7."),
      (["send", "nope", "--all", "--body", "hi"], "upmc: There is no app nope."),
      (
        ["app", "credential", "nope", "--apns-key", "/nonexistent", "--key-id", "A", "--team-id", "B"],
        "upmc: The file /nonexistent"
      ),
    ] {
      let ended = try program.run(arguments, removing: [])
      #expect(ended.status == 1)
      #expect(ended.lines.isEmpty)
      #expect(ended.complaint.hasPrefix(beginning), "\(ended.complaint)")
      #expect(ended.complaint.split(separator: "\n").count == 1)
    }
  }

  @Test func `what others wrote cannot steer the terminal`() throws {
    let ended = try program.run("app", "resume", "a\u{1B}[2J\u{9B}31mb\u{202E}c")
    #expect(ended.status == 1)
    #expect(ended.complaint.contains(#"a\u001b[2J\u009b31mb\u202ec"#), "\(ended.complaint)")
  }

  @Test func `a misspelt variable is named`() throws {
    let misled = try Program(["UPMC_DATABSE_URL=x"])
    let ended = try misled.run("status")
    #expect(ended.status == 1)
    #expect(ended.complaint.hasPrefix("upmc: UPMC_DATABSE_URL is not a variable of UPMC."))
  }

  @Test func `a database that is away is said`() throws {
    let away = try Program(databaseURL: "postgresql:///nothing?host=/nonexistent")
    let ended = try away.run("status")
    #expect(ended.status == 1)
    #expect(ended.complaint.hasPrefix("upmc: The database cannot be reached ("))
  }

  @Test func `a schema that is not there is said, with what to do`() throws {
    let fresh = try Program(databaseURL: TestDatabase.makeEmpty().url)
    let ended = try fresh.run("app", "list")
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("Run `upmc migrate`."))
  }

  @Test func `only sealing needs the master key`() throws {
    #expect(try program.run(["app", "create", "a", "--name", "n"], removing: ["UPMC_MASTER_KEY"]).status == 0)
    let path = program.directory + "/k.p8"
    TemporaryDirectory.write(path, "x")
    let ended = try program.run(
      ["app", "credential", "a", "--apns-key", path, "--key-id", "ABCDE12345", "--team-id", "ABCDE12345"],
      removing: ["UPMC_MASTER_KEY"])
    #expect(ended.status == 1)
    #expect(ended.complaint.contains("UPMC_MASTER_KEY"))
  }
}
