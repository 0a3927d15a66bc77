internal import Operations
internal import Reactor

/// Delivers the link that opens the console for the first time to the person who installed the server.
///
/// Logs go to collectors that many may read, so the link is never logged: it goes to the terminal that the server was
/// started from, or else into a file that only the server's user may read. Decision 119.
struct FirstSignIn {
  /// The complete link.
  let address: String
  let account: Int32
  let configuration: Configuration

  static let fileName = "first-sign-in"

  /// Shows the link on the terminal, or stores it in a file if there is no terminal.
  /// - Parameter terminal: prints text on the terminal; nil without a terminal.
  /// - Returns: the message to log, which does not contain the link.
  func tell(terminal: ((String) -> Void)?) -> String {
    let nobody = "Nobody can sign in to the console yet"
    let again = "`\(configuration.command) account link \(account)` prints another one"
    if let terminal {
      terminal("\(nobody). Open it once, within an hour, at \(address)\n")
      return "\(nobody); the link that opens it was shown in the terminal, \(again)"
    }
    let path = configuration.dataDirectory + "/" + Self.fileName
    do {
      try PrivateFile.replace(path, Array("\(address)\n".utf8))
      return "\(nobody). The link that opens it, once, within an hour, is in \(path); \(again)"
    } catch {
      return "\(nobody), and the link that opens it could not be written (\(error)): \(again)"
    }
  }
}
