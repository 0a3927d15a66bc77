import Server
import TestSupport
import Testing

@testable import Care

/// What the doctor says about a disk by the room that is left on it, and about the memory.
@Suite struct RoomTests {
  @Test(arguments: [
    (0, Finding.Severity.failure, "0 MiB free"), (Care.Limits.leastRoomBytes - 1, .failure, "1023 MiB free"),
    (Care.Limits.leastRoomBytes, .warning, "1024 MiB free"),
    (Care.Limits.goodRoomBytes - 1, .warning, "10239 MiB free"), (Care.Limits.goodRoomBytes, .ok, "10240 MiB free"),
  ])
  func `a disk that is full, nearly full, or has room`(free: Int, severity: Finding.Severity, said: String) {
    let finding = MachineLook.room("/var/lib/upmc", free: free)
    #expect(finding.subject == "disk" && finding.place == "/var/lib/upmc")
    #expect(finding.severity == severity && finding.what.contains(said), "\(finding)")
    #expect(finding.mend.contains("Make room") == (severity != .ok))
  }

  @Test func `what is free is asked of the file system, and a place that is not there is not judged`() {
    let directory = TemporaryDirectory.make()
    defer { TemporaryDirectory.remove(directory) }
    #expect(MachineLook.room(directory) != nil)
    #expect(MachineLook.room(directory + "/nothing/here") == nil)
  }

  @Test func `too little memory for the connections is told with how many fit`() {
    let listening = Listening()
    #expect(MachineLook.memory(768 << 20, listening).severity == .ok)
    let finding = MachineLook.memory(64 << 20, listening)
    #expect(finding.severity == .warning && finding.what.contains("room for 13107 connections"), "\(finding)")
    #expect(finding.mend.contains("UPMC_MAX_CONNECTIONS"))
  }
}
