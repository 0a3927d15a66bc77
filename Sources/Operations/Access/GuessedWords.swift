/// Common parts of passwords: words, names and keyboard rows, in lower case and after `PasswordRule` has replaced
/// digits and signs by the letters that they stand for.
enum GuessedWords {
  static let all: [String] = words + rows + Array(korean)

  private static let words = """
    password passwort passwd passcode secret letmein welcome hello iloveyou loveyou lovely sunshine princess dragon monkey \
    football baseball basketball soccer superman batman starwars pokemon master shadow freedom whatever trustno login \
    logmein access admin administrator root user guest test testing tester demo default changeme change newpass temp \
    temporary computer internet server system oracle company corporate office manager support service security secure \
    operator console push message notification mobile banking bank upmc uracle summer winter spring autumn january february \
    march april june july august september october november december monday tuesday wednesday thursday friday saturday \
    sunday korea seoul busan samsung apple google naver kakao android iphone michael jennifer jordan charlie thomas daniel \
    money cheese flower cookie killer pepper ginger silver golden diamond hunter ranger tigger buster harley summer matrix \
    mustang chelsea liverpool arsenal london letme please abcdef abcabc aaaa bbbb cccc xxxx zzzz qqqq
    """.split(separator: " ").map(String.init)

  /// Keyboard rows and columns, the alphabet, and Korean words typed in Latin letters. Those with digits stand here as
  /// they read after the replacement: 1234567890 is `i2eas6t89o`.
  private static let rows = [
    "qwertyuiop", "qwerty", "qwertz", "azerty", "asdfghjkl", "asdfgh", "asdf", "zxcvbnm", "zxcvbn", "zxcv", "qazwsx",
    "iq2weearst6y", "iq2weear", "iq2w", "eear",
    "iqazawsx", "iqazxsw2", "iqaz2wsx", "qaz2wsx", "eedc", "i2eas6t89o", "i2eas6t89", "i2eas6t8", "i2eas6t", "i2eas6",
    "i2eas", "i2ea", "i2e", "o98t6sae2i", "98t6sae2i", "6sae2i", "abcdefghijklmnopqrstuvwxyz", "abcdefgh", "abcde",
    "abcd",
    "abc", "qwer", "wert", "tyui", "uiop", "dkssud", "rlaeh", "gksrnr", "answer", "qlalfqjsgh",
  ]

  private static let korean = [
    "비밀번호", "패스워드", "암호", "관리자", "운영자", "안녕하세요", "사랑해요", "사랑해", "대한민국", "은행", "푸시", "메시지", "테스트",
  ]
}
