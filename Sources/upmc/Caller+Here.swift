internal import FoundationEssentials
internal import Operations
internal import Postgres

/// The person on whose behalf a command runs.
extension Caller {
  /// The Unix user who runs this command. The audit log names this user, who may not approve their own requests.
  static var here: Caller {
    commandLine(
      of: unixUser(
        loginUID: FileManager.default.contents(atPath: "/proc/self/loginuid").map {
          String(decoding: $0, as: UTF8.self)
        },
        environment: ProcessInfo.processInfo.environment, current: SystemAccount.current))
  }

  /// Returns the name of the Unix user who logged in, even behind `su` and `sudo`. Root can pretend to be anybody, so
  /// this is no proof of identity.
  /// - Parameters:
  ///   - loginUID: content of `/proc/self/loginuid`; 4294967295 if nobody has logged in. Nil if it cannot be read.
  ///   - current: the user as whom the command runs; nil if the machine does not know the user.
  static func unixUser(loginUID: String?, environment: [String: String], current: SystemAccount?) -> String {
    let loggedIn = loginUID.flatMap { UInt32($0.filter(\.isNumber)) }.flatMap {
      $0 == .max ? nil : SystemAccount(uid: $0)
    }
    if let loggedIn { return loggedIn.name }
    guard let current else { return "unknown" }
    if current.uid == 0, let sudoer = environment["SUDO_USER"].flatMap(SystemAccount.init(named:)) {
      return sudoer.name
    }
    return current.name
  }
}
