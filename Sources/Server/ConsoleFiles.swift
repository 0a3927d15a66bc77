internal import FoundationEssentials

/// Where the console's static files are when nobody says so.
enum ConsoleFiles {
  /// `Public` in the working directory or beside the program; nil when there is none.
  static func find() -> String? {
    let program = (CommandLine.arguments.first ?? "").split(separator: "/", omittingEmptySubsequences: false).dropLast()
    let candidates = ["Public", program.joined(separator: "/") + "/Public", "/usr/share/upmc/Public"]
    return candidates.first { FileManager.default.fileExists(atPath: $0) }
  }
}
