/// The HTTP API: everything reached by a URL, from routing a request to its answer and its description.
///
/// ```
///                        ┌─► Device      /v1/devices…, receipts, reads: on the HTTP loop, committed together
///   bytes ─► RootHandler ├─► Admin       /v1/admin…: on threads with their own connection (Execution); sends to
///                        │              named users on the loop, committed together
///             (Routing)  ├─► Legacy      *.ctl, the existing SDK's protocol: on the loop or on those threads
///                        ├─► Hosted      pages and media of payloads, the console's files
///                        ├─► Status      /health, /ready, /metrics
///                        └─► Description /openapi.json, and the handbook at /docs
/// ```
///
/// No handler has business rules: calls become operations of `Operations`, whose answers or problems become bytes.
/// `Authentication` finds credentials in requests, and remembers callers. `Responses` defines how answers and problems
/// are written, except those of `Legacy` and `Hosted`, which have formats of their own.
///
/// **Failure.** Nothing is answered 2xx before its commit. What cannot be carried out now gets a 503 with Retry-After;
/// no request waits without a bound.
///
/// **One definition each.** An `Endpoint` is the single definition of an endpoint's path, permission, request, answers,
/// problems and handler; routers, permission checks and the description derive from it. A `JSONObject` (module JSON) is
/// the single definition of how an object is parsed, written and described; it is declared beside its type, mostly in
/// `Operations`. A schema that is not a flat object is declared in the file of its parser.
///
/// **Adding an endpoint**: add an `Endpoint` to its area's file, or to a new file whose list you add to `Endpoint.all`.
/// Add its objects to the area's schemas (a new list of schemas also to `Schemas.all`), and each new `{name}` in its
/// path to `PathParameter.all`. Problems common to all endpoints (no credential, busy, body too large) are added
/// automatically.
///
/// **What keeps the description true**: tests check it against the routers and the problem codes, both ways; every
/// example in it is sent to a running server, and every answer of that server is validated against its schema. `make
/// fuzz-api` does the same with thousands of generated requests.
enum API {
  /// The version of the API itself. The path carries the major number.
  static let version = "1.0.0"
}
