/// The variables of commands that send requests to a server instead of using the database. The server itself ignores
/// them.
extension Configuration {
  /// The server and API key that the commands of the admin API use.
  package struct CommandLine: Sendable {
    /// The server's base URL; nil to use the database, or the current context's server.
    package var server: String?
    package var apiKey: String?
    package var apiKeyFile: String?
  }

  static let commandVariables = [
    Variable(
      name: "UPMC_SERVER", standard: "",
      meaning: "address of a server that commands ask instead of the database: https://push.example.com",
      korean: "명령이 데이터베이스 대신 요청을 보낼 서버의 주소: `https://push.example.com`"),
    Variable(
      name: "UPMC_API_KEY", standard: "",
      meaning: "the API key that commands use with UPMC_SERVER", korean: "명령이 `UPMC_SERVER`에 쓰는 API 키"),
    Variable(
      name: "UPMC_API_KEY_FILE", standard: "",
      meaning: "file that holds this key; set this or UPMC_API_KEY",
      korean: "이 키가 든 파일. `UPMC_API_KEY`와 둘 중 하나만 설정합니다"),
  ]

  /// Stores the value of a command-line variable. Returns false if the variable is not one of these.
  mutating func setCommandLine(_ name: String, _ value: String) -> Bool {
    let given = value.isEmpty ? nil : value
    switch name {
    case "UPMC_SERVER": commandLine.server = given
    case "UPMC_API_KEY": commandLine.apiKey = given
    case "UPMC_API_KEY_FILE": commandLine.apiKeyFile = given
    default: return false
    }
    return true
  }

  /// Returns the API key that a file or a pipe holds, without whitespace.
  /// - Throws: `Mistake` if the file cannot be read.
  package static func readAPIKey(_ path: String) throws(Mistake) -> String {
    let text = try SecretFile.readOnce(path, name: "The API key's file", holding: "the key")
    return text.filter { !$0.isWhitespace }
  }
}
