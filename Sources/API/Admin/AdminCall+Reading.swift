internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations

/// What many endpoints read: JSON bodies, query items, pages.
extension AdminCall {
  /// The body as a JSON object. - Throws: `.malformed` or `.invalidField`, with the place.
  func body<Root>(_ object: JSONObject<Root>) throws(Problem) -> Root {
    try object.read(body: try jsonBody())
  }

  /// `?limit=&cursor=`.
  func page() throws(Problem) -> PageRequest {
    try PageRequest(limit: query["limit"], cursor: query["cursor"])
  }

  /// A required query item. - Throws: `.invalidField`.
  func required(_ name: String) throws(Problem) -> String {
    guard let value = query[name], !value.isEmpty else {
      throw Problem(.invalidField, "Say which: \(request.path)?\(name)=…")
    }
    return value
  }

  /// The GROUPSEQ in the path. - Throws: `.unknownGroup` if it is not a whole number.
  func groupSeq() throws(Problem) -> Int64 {
    guard let group = Int64(parameters["groupSeq"]) else {
      throw Problem(.unknownGroup, "A GROUPSEQ is a whole number, as lists show it.")
    }
    return group
  }
}
