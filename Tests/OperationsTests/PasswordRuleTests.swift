import Domain
import Testing

@testable import Operations

@Suite struct PasswordRuleTests {
  @Test(arguments: [
    "correct horse battery", "another password", "파란 하늘 아래 작은 책상", "vT9#kq2!Lw8$zz", "mintgreen bicycle",
    "ûñïçødé wörds",
    "the quick brown fox",
  ])
  func `a long password of one's own is taken, whatever it is made of`(_ password: String) throws {
    try PasswordRule.check(password, login: "kim@example.com")
  }

  @Test(arguments: [
    "elevenchars", "", String(repeating: "ab ", count: 100), "aaaaaaaaaaaa", "abababababab", "123456789012",
    "Password1234!", "P@ssw0rd2026!!", "qwertyuiop123", "1q2w3e4r5t6y", "admin1234admin", "UPMC-push-2026",
    "kim@example.com",
    "Kim.Example.2026", "비밀번호비밀번호1234", "welcome123456", "iloveyou12345", "654321654321", "098765432109",
  ])
  func `what everybody guesses first is refused at its field`(_ password: String) {
    do throws(Problem) {
      try PasswordRule.check(password, login: "kim@example.com")
      Issue.record("\(password) is taken")
    } catch {
      #expect(error.code == .invalidField && error.fields.first?.pointer == "/new")
    }
  }
}
