internal import FoundationEssentials
internal import Operations
internal import Postgres

/// In whose name commands work.
extension Caller {
  /// Whoever runs this command: the audit log names them, and they are not their own second person.
  static var here: Caller {
    commandLine(
      of: unixUser(
        loginUID: FileManager.default.contents(atPath: "/proc/self/loginuid").map {
          String(decoding: $0, as: UTF8.self)
        },
        environment: ProcessInfo.processInfo.environment, current: SystemAccount.current))
  }

  /// Who logged in, behind `su` and `sudo` too. Root can say to be anybody; this is no proof, but what people do who do not
  /// hide.
  /// - Parameters:
  ///   - loginUID: as the kernel has it; 4294967295 when nobody has logged in.
  ///   - current: whom the command acts as; nil when the machine does not know it.
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
