internal import HTTPServer

/// The console's static files and their response headers.
enum ConsoleFiles {
  /// URL path of the chart library, which is installed as a package of the operating system. Only its directory is
  /// served, because other files on the machine are private.
  static let chartPath = "/assets/vendor/chart.js"
  static let chartDirectory = "/usr/share/javascript/chart.js"

  /// Serves the files of a directory, with the headers that all pages and scripts need.
  static func files(in directory: String) -> StaticFiles? {
    StaticFiles(directory: directory, headers: headers)
  }

  /// Serves the chart library; nil if it is not installed. The console works without it.
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
