internal import HTTPServer

/// The console's static files and their response headers.
enum ConsoleFiles {
  /// URL path of the chart library. The library is a package of the operating system outside of the console's
  /// directory; only its own directory is served, because other files on the machine are private.
  static let chartPath = "/assets/vendor/chart.js"
  static let chartDirectory = "/usr/share/javascript/chart.js"

  /// Returns a server of the files of a directory, with the security headers; nil if the directory does not exist.
  static func files(in directory: String) -> StaticFiles? {
    StaticFiles(directory: directory, headers: headers)
  }

  /// Returns a server of the chart library's files, with the security headers; nil if the library is not installed. The
  /// console works without it.
  static func chartFiles() -> StaticFiles? {
    StaticFiles(directory: chartDirectory, headers: headers)
  }

  /// The security headers. They permit only our own files as scripts and styles, and no text to be parsed as markup
  /// (Trusted Types).
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
