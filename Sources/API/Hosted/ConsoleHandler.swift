internal import HTTPServer
internal import Reactor

/// Serves the console: its page and versioned files from `ConsoleSite`; and, as they are, all other files below its
/// directory, such as the dashboards of `/operations/`, and the files of the chart library. One per HTTP loop, on whose
/// thread changed files are read.
final class ConsoleHandler {
  /// Minimum interval between checks for changed files. Only requests for `/` trigger a check.
  private static let lookEvery = Duration.seconds(1)

  private let directory: String
  private let clock: any Clock
  private var site: ConsoleSite?
  private var lookedAt: Instant
  private var files: StaticFiles
  private var charts = ConsoleFiles.chartFiles()

  /// Creates the handler, and reads the console's files unless another loop already has. Returns nil if the directory
  /// does not exist.
  init?(_ directory: String, clock: any Clock) {
    guard let files = ConsoleFiles.files(in: directory) else { return nil }
    self.files = files
    self.directory = directory
    self.clock = clock
    site = ConsoleSite.current(in: directory, charts: ConsoleFiles.chartDirectory)
    lookedAt = clock.now
  }

  func response(to request: Request) -> Response {
    look(request)
    if let response = site?.response(for: request) { return response }
    if request.path.hasPrefix(ConsoleFiles.chartPath + "/"),
      let response = charts?.response(for: request, strippingPrefix: ConsoleFiles.chartPath)
    {
      return response
    }
    return files.response(for: request)
  }

  /// Loads changed files if the request is for `/`, and the last check was at least `lookEvery` ago. Files change in
  /// development, and in an upgrade in place.
  private func look(_ request: Request) {
    guard request.path == "/", clock.now - lookedAt >= Self.lookEvery else { return }
    lookedAt = clock.now
    site = ConsoleSite.current(in: directory, charts: ConsoleFiles.chartDirectory)
  }
}
