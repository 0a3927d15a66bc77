import Foundation
import Postgres
import Reactor
import TestSupport
import Testing

/// `upmc doctor` as an operator runs it: its exit status, and what only a process of its own can meet.
@Suite struct DoctorCommandTests {
  let program: Program

  init() throws {
    program = try Program(["UPMC_PUBLIC_URL=https://push.example.com"])
  }

  @Test func `exit status 0 with warnings, 1 with a failure, and each finding is a line of JSON`() throws {
    let well = try program.run("doctor", "--json")
    #expect(well.status == 0, "\(well.lines) \(well.complaint)")
    #expect(well.lines.allSatisfy { $0.hasPrefix(#"{"severity":""#) } && well.lines.count > 4)
    #expect(try program.run("app", "create", "com.example.bank", "--name", "Bank").status == 0)
    try program.connect().script("UPDATE apps SET paused_reason = 'because'")
    let ill = try program.run("doctor", "--quiet")
    #expect(ill.status == 1)
    #expect(
      ill.lines.contains { $0.hasPrefix("FAILURE  app (com.example.bank): sends nothing: because") }, "\(ill.lines)")
    #expect(ill.lines.contains { $0.contains("→ Fix the cause, then `upmc app resume com.example.bank`.") })
    #expect(!ill.lines.contains { $0.hasPrefix("ok") })
    #expect(ill.complaint.hasPrefix("upmc: 1 failures and "), "\(ill.complaint)")
  }

  @Test func `a machine that allows few open files`() throws {
    let ended = try program.run(through: ["/bin/sh", "-c", "ulimit -n 512; exec \"$@\"", "sh"], "doctor", "--quiet")
    #expect(ended.status == 1)
    #expect(
      ended.lines.contains { $0.hasPrefix("FAILURE  open files (ulimit -n): only 512 allowed") }, "\(ended.lines)")
    #expect(ended.lines.contains { $0.contains("→ Raise the limit (LimitNOFILE= of systemd") })
  }

  @Test func `a disk that is full`() throws {
    let place = program.directory + "/data"
    let mount = "mkdir -p \(place) && mount -t tmpfs -o size=8m tmpfs \(place) && exec \"$@\""
    let ended = try program.run(
      through: ["unshare", "--map-root-user", "--mount", "/bin/sh", "-c", mount, "sh"],
      ["doctor", "--quiet"], adding: ["UPMC_DATA_DIR=\(place)"], removing: ["UPMC_DATABASE_URL", "UPMC_MASTER_KEY"])
    #expect(ended.status == 1, "\(ended.complaint)")
    #expect(ended.lines.contains { $0.hasPrefix("FAILURE  disk (\(place)): 8 MiB free") }, "\(ended.lines)")
    #expect(ended.lines.contains { $0.contains("→ Make room") })
    // It has not made a database to look at.
    #expect(ended.lines.contains { $0.contains("there is no database yet") })
  }
}
