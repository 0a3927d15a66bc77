internal import Domain
internal import JSON

/// The admin API, from wherever a command reaches it. Decision 148.
///
/// ```
///   command ── AdminRequest ──► AdminAPI ┬─► LocalAPI    on the database, in this process
///      ▲                                 └─► RemoteAPI   by HTTP, with an API key
///      └──────── Answer, Refusal ────────┘
/// ```
/// Both answer the same JSON, so a command has one definition of what it prints, and one of what it refuses.
protocol AdminAPI {
  /// Carries a request out. - Throws: `Refusal` for what is refused.
  func answer(_ request: AdminRequest) throws -> Answer

  /// Reads a file piece by piece.
  func download(_ request: AdminRequest, _ piece: ([UInt8]) -> Void) throws

  /// What people call it: its address, or the database.
  var name: String { get }
}

/// What the admin API has answered.
struct Answer {
  let status: Int
  let json: JSONTree

  /// - Throws: `CommandError` if it is no JSON.
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

/// A request that was refused.
struct Refusal: Error, CustomStringConvertible {
  let status: Int
  /// For example `upmc:unknown-app`.
  let code: String
  /// The problem as it was answered, on one line.
  let json: JSONTree

  init(_ answer: Answer) {
    status = answer.status
    code = answer.json.text("type")
    json = answer.json
  }

  /// Names a single field as options do: without a JSON pointer's slash.
  var description: String {
    let fields = json["errors"]?.elements ?? []
    let pointer = fields.first?.text("pointer") ?? ""
    guard fields.count == 1, pointer.first == "/" else { return json.text("detail") }
    return "\(pointer.dropFirst()) \(fields[0].text("detail"))."
  }
}
