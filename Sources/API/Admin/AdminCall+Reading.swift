internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// Readers for parts of requests that many endpoints use: JSON bodies, query parameters, pages.
extension AdminCall {
  /// Returns the body, parsed as a JSON object.
  /// - Throws: `.unsupportedMediaType`; `.malformed` if the body cannot be parsed or is not a JSON object;
  ///   `.impossible` if its members only contradict each other; otherwise `.invalidField`.
  func body<Root>(_ object: JSONObject<Root>) throws(Problem) -> Root {
    try object.read(body: try jsonBody())
  }

  /// Returns the page requested by `?limit=&cursor=`: by default the first one, with up to
  /// `Operations.Limits.pageDefault` items. Whether the cursor is one of this list is checked only by the operation.
  /// - Throws: `.invalidField` if the limit is out of range or the cursor is malformed.
  func page() throws(Problem) -> PageRequest {
    try PageRequest(limit: query["limit"], cursor: query["cursor"])
  }

  /// Returns a required query parameter.
  /// - Throws: `.invalidField` if it is missing or empty.
  func required(_ name: String) throws(Problem) -> String {
    guard let value = query[name], !value.isEmpty else {
      throw Problem(.invalidField, "Say which: \(request.path)?\(name)=…")
    }
    return value
  }

  /// Returns the GROUPSEQ in the path. Whether the group exists is not checked.
  /// - Throws: `.unknownGroup` if it is not a whole number.
  func groupSeq() throws(Problem) -> Int64 {
    guard let group = Int64(parameters["groupSeq"]) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number, as lists show it.")
    }
    return group
  }
}
