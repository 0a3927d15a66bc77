internal import HTTPServer
internal import Reactor

/// The console's static files: where they are, and what browsers are told about them.
package enum ConsoleFiles {
  /// Below this path stands the library that draws charts, as the system's package installed it: that one, for what else
  /// is installed on the machine is nobody's business.
  static let chartPath = "/assets/vendor/chart.js"
  private static let chartDirectory = "/usr/share/javascript/chart.js"

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

  /// The files of a directory, with the headers of every page and script.
  static func files(in directory: String) -> StaticFiles? {
    StaticFiles(directory: directory, headers: headers)
  }

  /// The library that draws charts; nil where it is not installed, and the console does without.
  static func chartFiles() -> StaticFiles? {
    StaticFiles(directory: chartDirectory, headers: headers)
  }

  /// Nothing from elsewhere, nothing written into a page: no script and no style but our files, and no text ever parsed
  /// as markup (Trusted Types).
  static let headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        + "base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
        + "trusted-types 'none'"
    ),
    ("Referrer-Policy", "no-referrer"), ("X-Frame-Options", "DENY"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]
}
