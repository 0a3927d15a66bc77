internal import Domain
internal import HTTPServer
internal import Operations

/// Content of a streamed answer. Before creating it, check that the caller may see it.
enum StreamSource: Sendable {
  enum Kind: Sendable {
    /// Numbers that are sent whenever they change.
    case live
    /// A file that is exported.
    case export
  }

  /// A message's numbers, as server-sent events.
  case funnel(seqno: Seqno)
  /// The numbers of an app's overview (nil: of all apps), as server-sent events.
  case overview(App.Number?)
  case file(CSVExport)

  var headers: [(String, String)] {
    switch self {
    // Turns off buffering in proxies such as nginx, which would delay events.
    case .funnel, .overview: ServerSentEvent.headers + [("X-Accel-Buffering", "no")]
    case .file(let export):
      [
        ("Content-Type", "text/csv; charset=utf-8"), ("Cache-Control", "no-store"),
        ("Content-Disposition", "attachment; filename=\"\(export.name).csv\""),
      ]
    }
  }
}
