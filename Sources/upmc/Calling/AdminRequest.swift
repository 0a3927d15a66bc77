internal import Domain
internal import JSON
internal import Operations

/// A request to the admin API, independent of whether a server or this process handles it.
struct AdminRequest {
  enum Method: String {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
  }

  /// The data that must be encrypted if the request is handled in this process; a server always has the keys.
  enum Sealing {
    case nothing
    /// The content of a message; confidential content is refused without the master key.
    case content
    /// A secret, which requires the master key.
    case secret
  }

  var method: Method
  /// Percent-encoded path, beginning with `/v1/admin/`.
  var path: String
  /// Percent-encoded query, without the question mark.
  var query: String
  var headers: [(name: String, value: String)] = []
  var body: [UInt8] = []
  var sealing = Sealing.nothing

  /// Creates a request.
  /// - Parameters:
  ///   - path: segments below `/v1/admin`, not encoded.
  ///   - query: parameters; those that are nil are omitted.
  init(
    _ method: Method, _ path: [String], query: KeyValuePairs<String, String?> = [:], body: JSONTree? = nil,
    sealing: Sealing = .nothing
  ) {
    self.method = method
    self.path = "/v1/admin" + path.map { "/\(FormText.encode($0))" }.joined()
    self.query = query.compactMap { name, value in value.map { "\(name)=\(FormText.encode($0))" } }.joined(
      separator: "&")
    self.sealing = sealing
    if let body { setJSON(body.bytes) }
  }

  static func get(_ path: String..., query: KeyValuePairs<String, String?> = [:]) -> AdminRequest {
    AdminRequest(.get, path, query: query)
  }

  static func post(_ path: String..., body: JSONTree? = nil, sealing: Sealing = .nothing) -> AdminRequest {
    AdminRequest(.post, path, body: body, sealing: sealing)
  }

  /// Sets a JSON body.
  mutating func setJSON(_ bytes: [UInt8]) {
    set(bytes, type: "application/json")
  }

  mutating func set(_ bytes: [UInt8], type: String) {
    body = bytes
    headers.append(("content-type", type))
  }

  mutating func add(_ name: String, _ value: String) {
    query += "\(query.isEmpty ? "" : "&")\(name)=\(FormText.encode(value))"
  }
}
