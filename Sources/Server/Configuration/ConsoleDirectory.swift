internal import HTTPServer
internal import Reactor

/// Locates the console's static files.
package enum ConsoleDirectory {
  /// Returns the configured directory, or the one installed with the program; nil when there is none.
  /// - Throws: `Mistake` if the configured directory does not exist or does not contain the console.
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

  /// The log message of a server without a console.
  package static var absence: String {
    "the console's files were not found (\(ProgramFiles.places(of: "Public").joined(separator: ", "))): only the API is "
      + "served; set UPMC_PUBLIC_DIR to where they are"
  }
}
