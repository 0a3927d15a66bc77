internal import HTTPServer
internal import Reactor

/// Where the console's static files are.
package enum ConsoleDirectory {
  /// The directory with the console: the configured one, or the one that comes with the program; nil when none does.
  /// - Throws: when the configured one is not there, or is no console's.
  package static func locate(configured: String?) throws(Configuration.Mistake) -> String? {
    guard let configured else { return ProgramFiles.find("Public") }
    guard ProgramFiles.isDirectory(configured) else {
      throw Configuration.Mistake(
        description:
          "UPMC_PUBLIC_DIR=\(configured) is not there, or no directory. Name the one with the console's files.")
    }
    guard RegularFile.open(path: configured + "/index.html") != nil else {
      throw Configuration.Mistake(
        description:
          "UPMC_PUBLIC_DIR=\(configured) has no index.html that this user may read. Name the directory with the console's files."
      )
    }
    return configured
  }

  /// For the log of a server that has no console.
  package static var absence: String {
    "the console's files were not found (\(ProgramFiles.places(of: "Public").joined(separator: ", "))): only the API is "
      + "served; set UPMC_PUBLIC_DIR to where they are"
  }
}
