import Glibc
import Postgres
import Testing

@Suite struct SystemAccountTests {
  @Test func `root is known by name and by number, nobody else by nonsense`() {
    #expect(SystemAccount(named: "root")?.uid == 0)
    #expect(SystemAccount(uid: 0)?.name == "root")
    #expect(SystemAccount(named: "no such user") == nil)
    #expect(SystemAccount(uid: 4_000_000_000) == nil)
    #expect(SystemAccount.current?.uid == geteuid())
  }
}
