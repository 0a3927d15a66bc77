internal import Domain
internal import HTTPServer
internal import Operations

/// The content of a streamed answer. It is sent without further checks, so check that the caller may see it before
/// creating it.
enum StreamSource: Sendable {
  enum Kind: Sendable {
    /// Numbers that are sent whenever they change, as server-sent events.
    case live
    /// An exported file.
    case export
  }

  /// A message's numbers, as server-sent events.
  case funnel(seqno: Seqno)
  /// The numbers of the overview of an app, or of all apps if the number is nil, as server-sent events.
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
