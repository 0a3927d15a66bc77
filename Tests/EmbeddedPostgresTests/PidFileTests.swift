import Testing

@testable import EmbeddedPostgres

@Suite struct PidFileTests {
  @Test func `the process and the socket's directory are read`() {
    let file = PidFile("4711\n/data/postgres\n1767225600\n5432\n/run/socket\n\n 5432001 7\nready   \n")
    #expect(file?.pid == 4711)
    #expect(file?.socketDirectory == "/run/socket")
    #expect(PidFile("4711\n/data/postgres\n1767225600\n")?.socketDirectory == nil)
  }

  @Test(arguments: ["", "\n", "x\n", "0\n", "1\n", "-4711\n", "99999999999\n"])
  func `what names no process is no pid file`(text: String) {
    #expect(PidFile(text) == nil)
  }

  private func judge(_ words: [String]?, exists: Bool = true) -> PidFile.Claim {
    let bytes = words.map { Array($0.map { $0 + "\0" }.joined().utf8) }
    return PidFile.judge(commandLine: bytes, exists: exists) { $0 == "/data/postgres" }
  }

  @Test func `a postmaster of this directory holds it, however it was called`() {
    #expect(judge(["/usr/lib/postgresql/15/bin/postgres", "-D", "/data/postgres", "-c", "x"]) == .holds)
    #expect(judge(["postgres", "-D/data/postgres"]) == .holds)
  }

  @Test func `anything that certainly is none does not`() {
    #expect(judge(nil, exists: false) == .isStale)
    #expect(judge(["postgres", "-D", "/other"]) == .isStale)
    #expect(judge(["/usr/bin/vim", "-D", "/data/postgres"]) == .isStale)
    #expect(judge(["postgres: checkpointer "]) == .isStale)
    #expect(judge([]) == .isStale)
  }

  @Test func `in doubt it is taken for one`() {
    #expect(judge(nil) == .isHidden)
    #expect(judge(["/usr/lib/postgresql/15/bin/postgres", "--config-file=/etc/x.conf"]) == .isHidden)
  }
}
