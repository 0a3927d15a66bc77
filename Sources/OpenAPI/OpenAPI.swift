/// The description of the HTTP API: for programs as OpenAPI 3.1 (`/openapi.json`), for people as a page (`/docs`).
///
/// It is written by hand, in Swift, one file per area: `Operations/` says what can be called, `Schemas/` what the bodies
/// look like. Written in Swift, because then every range, every list of words and every problem code is the very constant
/// that the doors check against; a limit that is changed changes the document with it.
///
/// ```
///   APIOperation ─┐   by hand, one file per area
///   Schema  ──────┤
///   Domain.Limits ┤──► Document: a tree of JSON ──► bytes and ETag, made once per process
///   Problem.Code ─┘                            └──► Page: HTML without script, made from the same tree
/// ```
///
/// **Adding a route**: write an `APIOperation` in the file of its area (or a new file, named in `APIOperation.all`): its
/// method and pattern as the router has them, what it does, its body and answers, and every problem code it may give.
/// Answers for what any operation may meet (no credential, busy, a body too large) are added by themselves.
///
/// **What keeps it true**: tests hold the document against the routers and the problem codes, both ways; every example in
/// it is sent to a running server, and every answer of that server is checked against its schema. `make fuzz-api` sends
/// thousands of made-up requests and does the same.
package enum OpenAPI {
  /// The version of the API itself. The path carries the major number.
  static let version = "1.0.0"
}
