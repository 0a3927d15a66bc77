internal import HTTPServer

/// The console's static files and their response headers.
enum ConsoleFiles {
  /// Path of the chart library, which the system's package installs. Only this directory is served: what else is
  /// installed on the machine is private.
  static let chartPath = "/assets/vendor/chart.js"
  private static let chartDirectory = "/usr/share/javascript/chart.js"

  /// The files of a directory, with the headers of every page and script.
  static func files(in directory: String) -> StaticFiles? {
    StaticFiles(directory: directory, headers: headers)
  }

  /// The chart library; nil where it is not installed, and the console does without.
  static func chartFiles() -> StaticFiles? {
    StaticFiles(directory: chartDirectory, headers: headers)
  }

  /// Nothing from elsewhere and nothing inline: no script and no style but our files, and no text ever parsed as markup
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
