internal import Domain
internal import JSON

/// The admin API as commands use it, on a server or in this process. Decision 148.
///
/// ```
///   command ── AdminRequest ──► AdminAPI ┬─► LocalAPI    on the database, in this process
///      ▲                                 └─► RemoteAPI   by HTTP, with an API key
///      └──────── Answer, Refusal ────────┘
/// ```
/// Both return the same JSON, so each command has a single definition of its output and its errors.
protocol AdminAPI {
  /// Performs a request and returns the response.
  /// - Throws: `Refusal` if the API refuses it.
  func answer(_ request: AdminRequest) throws -> Answer

  /// Performs a request whose response is a file, and calls `piece` with each part as it arrives; over HTTP, once with
  /// the whole file.
  /// - Throws: `Refusal` if the API refuses the request.
  func download(_ request: AdminRequest, _ piece: ([UInt8]) -> Void) throws

  /// Name of the API in error messages: the server's address, or "the database".
  var name: String { get }
}

/// A response of the admin API.
struct Answer {
  let status: Int
  let json: JSONTree

  /// Parses the body of a response.
  /// - Parameter place: name of the API, for the error message.
  /// - Throws: `CommandError` if the body is not JSON.
  init(status: Int, body: [UInt8], from place: String) throws {
    self.status = status
    do throws(JSONError) {
      json = body.isEmpty ? .object([]) : try JSONTree(parsing: body)
    } catch {
      throw CommandError("\(place) answered \(status), but not as UPMC does. Is it the address of a UPMC server?")
    }
  }

  subscript(_ name: String) -> JSONTree? { json[name] }
}

/// The error for a request that the API refused.
struct Refusal: Error, CustomStringConvertible {
  let status: Int
  /// Type of the problem, for example `upmc:unknown-app`.
  let code: String
  /// The problem document (RFC 9457).
  let json: JSONTree

  init(_ answer: Answer) {
    status = answer.status
    code = answer.json.text("type")
    json = answer.json
  }

  /// The problem's detail, in which a field is named as options are, without the JSON pointer's slash.
  var description: String {
    let fields = json["errors"]?.elements ?? []
    let pointer = fields.first?.text("pointer") ?? ""
    guard fields.count == 1, pointer.first == "/" else { return json.text("detail") }
    return "\(pointer.dropFirst()) \(fields[0].text("detail"))."
  }
}
