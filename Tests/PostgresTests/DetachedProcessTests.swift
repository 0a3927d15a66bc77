import Glibc
import Postgres
import Reactor
import TestSupport
import Testing

@Suite struct DetachedProcessTests {
  private func end(of process: DetachedProcess) throws -> DetachedProcess.End {
    try poll("it does not end", every: .milliseconds(2)) { process.poll() }
  }

  @Test func `its exit status is told, and only once`() throws {
    let process = try DetachedProcess(["/bin/sh", "-c", "exit 7"])
    #expect(try end(of: process) == .exited(status: 7))
    #expect(process.poll() == .unknown)
  }

  @Test func `what killed it is told`() throws {
    let process = try DetachedProcess(["/bin/sh", "-c", "kill -9 $$"])
    #expect(try end(of: process) == .killed(signal: 9))
  }

  @Test func `what it writes is appended to the file, and it has a session and an environment of its own`() throws {
    var template = Array("/tmp/upmc-detached.XXXXXX".utf8CString)
    let file = FileDescriptor(owning: mkstemp(&template))
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { unlink(path) }
    for word in ["one", "two"] {
      let script = "echo $WORD; echo $PATH >&2; set -- $(cat /proc/$$/stat); test $6 = $$"
      let process = try DetachedProcess(
        ["/bin/sh", "-c", script], environment: ["WORD=\(word)", "PATH=/usr/bin:/bin"], output: path)
      #expect(try end(of: process) == .exited(status: 0))
    }
    var bytes = [UInt8](repeating: 0, count: 200)
    let count = read(file.number, &bytes, bytes.count)
    #expect(String(decoding: bytes.prefix(count), as: UTF8.self) == "one\n/usr/bin:/bin\ntwo\n/usr/bin:/bin\n")
  }

  @Test func `a program that is not there is an error`() {
    #expect(throws: SystemError.self) { try DetachedProcess(["/nonexistent/program"]) }
  }
}
