/// The HTTP API: everything that is reached by a URL, from the first look at a request to its answer and its description.
///
/// ```
///                     ┌─► Device      /v1/devices…, receipts, reads: on the HTTP loop, committed together
///   bytes ─► FrontDoor├─► Admin       /v1/admin…: on threads with a connection of their own (Execution)
///           (Routing) ├─► Legacy      *.ctl, the existing SDK's protocol: on either
///                     ├─► Hosted      pages and media of payloads, the console's files
///                     ├─► Status      /health, /ready, /metrics
///                     └─► Description /openapi.json and /docs
/// ```
///
/// None of them has rules: each turns bytes into an operation of `Operations` and its answer or problem into bytes. Who asks is
/// found out in `Authentication`; how problems and answers leave is said once, in `Responses`.
///
/// **Failure.** Nothing is answered 2xx before its commit. What cannot be carried out now is told so with 503 and
/// Retry-After; nobody waits without end.
///
/// **The description** is written by hand, in Swift, one file per area: `Description/Operations` says what can be called,
/// `Description/Schemas` what the bodies look like. Written in Swift, because then every range, every list of words and every
/// problem code is the very constant that is checked against; a limit that is changed changes the document with it. Tests
/// hold it against the routers and the problem codes, both ways; every example in it is sent to a running server, and every
/// answer of that server is checked against its schema. `make fuzz-api` sends thousands of made-up requests and does the same.
enum API {
  /// The version of the API itself. The path carries the major number.
  static let version = "1.0.0"
}
