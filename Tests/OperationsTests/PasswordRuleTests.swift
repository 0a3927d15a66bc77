import Domain
import Testing

@testable import Operations

@Suite struct PasswordRuleTests {
  @Test func `a stored password stays what it is, and costs what the product takes`() {
    let (password, salt, rounds) = ("correct horse battery", [UInt8](1...16), ConsolePolicy().passwordRounds)
    let hash = PasswordHash.make(password, salt: salt, rounds: rounds)
    #expect(Hex.encode(hash) == "3fda3c69dd325e628aea3c10742ef41ebfb19da0ab0485df9dfc6dc12642cbf6")
    #expect(PasswordHash.matches(password, hash, salt: salt, rounds: rounds))
    #expect(!PasswordHash.matches("correct horse batterY", hash, salt: salt, rounds: rounds))
    #expect(!PasswordHash.matches(password, nil, salt: nil, rounds: rounds))
  }

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
