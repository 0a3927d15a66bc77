import Server
import TestSupport
import Testing

@testable import Maintenance

/// What the doctor says about a disk by the room that is left on it, and about the memory.
@Suite struct RoomTests {
  @Test(arguments: [
    (0, Finding.Severity.failure, "0 MiB free"), (Maintenance.Limits.leastRoomBytes - 1, .failure, "1023 MiB free"),
    (Maintenance.Limits.leastRoomBytes, .warning, "1024 MiB free"),
    (Maintenance.Limits.goodRoomBytes - 1, .warning, "10239 MiB free"),
    (Maintenance.Limits.goodRoomBytes, .ok, "10240 MiB free"),
  ])
  func `a disk that is full, nearly full, or has room`(free: Int, severity: Finding.Severity, said: String) {
    let finding = MachineChecks.room("/var/lib/upmc", free: free)
    #expect(finding.subject == "disk" && finding.place == "/var/lib/upmc")
    #expect(finding.severity == severity && finding.what.contains(said), "\(finding)")
    #expect(finding.remedy.contains("Make room") == (severity != .ok))
  }

  @Test func `what is free is asked of the file system, and a place that is not there is not judged`() {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    #expect(MachineChecks.room(directory) != nil)
    #expect(MachineChecks.room(directory + "/nothing/here") == nil)
  }

  @Test func `too little memory for the connections is told with how many fit`() {
    let listening = Listening()
    #expect(MachineChecks.memory(768 << 20, listening).severity == .ok)
    let finding = MachineChecks.memory(64 << 20, listening)
    #expect(finding.severity == .warning && finding.what.contains("room for 13107 connections"), "\(finding)")
    #expect(finding.remedy.contains("UPMC_MAX_CONNECTIONS"))
  }
}
