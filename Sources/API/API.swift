/// The HTTP API: everything that is reached by a URL, from the first look at a request to its answer and its description.
///
/// ```
///                     ┌─► Device      /v1/devices…, receipts, reads: on the HTTP loop, committed together
///   bytes ─► FrontDoor├─► Admin       /v1/admin…: on threads with a connection of their own (Execution)
///           (Routing) ├─► Legacy      *.ctl, the existing SDK's protocol: on either
///                     ├─► Hosted      pages and media of payloads, the console's files
///                     ├─► Status      /health, /ready, /metrics
///                     └─► Description /openapi.json, the handbook at /docs
/// ```
///
/// None of them has rules: each turns bytes into an operation of `Operations` and its answer or problem into bytes. Who asks is
/// found out in `Authentication`; how problems and answers leave is said once, in `Responses`.
///
/// **Failure.** Nothing is answered 2xx before its commit. What cannot be carried out now is told so with 503 and
/// Retry-After; nobody waits without end.
///
/// **Once.** An `Endpoint` is the one place that says how something is called, who may, what it takes and answers, what it
/// refuses and what carries it out; the routers, the look at permissions and the description derive from it. A `JSONObject`
/// (module JSON) is the one place that says how an object is read, written and described; it stands with the type that it is
/// of, mostly in `Operations`. Where a schema is no flat object, it stands in the file of its reader.
///
/// **Adding an endpoint**: add a value to the file of its area, or a new file that is named in `Endpoint.all`; name its
/// objects among the schemas of the area, and a new `{name}` of a path in `PathParameter.all`. Refusals that any endpoint may
/// meet (no credential, busy, a body too large) are added by themselves.
///
/// **What keeps the description true**: tests hold it against the routers and the problem codes, both ways; every example in it
/// is sent to a running server, and every answer of that server is checked against its schema. `make fuzz-api` sends thousands
/// of made-up requests and does the same.
enum API {
  /// The version of the API itself. The path carries the major number.
  static let version = "1.0.0"
}
