internal import HTTPServer

/// The console's static files, with what browsers are told about them.
enum ConsoleFiles {
  /// Below this path stands the library that draws charts, as the system's installed it: that one, for what else
  /// is installed on the machine is nobody's business.
  static let chartPath = "/assets/vendor/chart.js"
  private static let chartDirectory = "/usr/share/javascript/chart.js"

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
