internal import JSON
internal import Domain
internal import Operations

/// Query and header parameters of an endpoint.
extension Endpoint {
  struct Parameter: Sendable {
    enum Place: String, Sendable { case query, header }

    let place: Place
    let name: String
    let schema: JSONTree
    let about: String
    var isNeeded = false

    static func query(_ name: String, _ schema: JSONTree, _ about: String, isNeeded: Bool = false) -> Parameter {
      Parameter(place: .query, name: name, schema: schema, about: about, isNeeded: isNeeded)
    }

    static func header(_ name: String, _ schema: JSONTree, _ about: String) -> Parameter {
      Parameter(place: .header, name: name, schema: schema, about: about)
    }

    // MARK: Shared by many endpoints

    static func ofApp(isNeeded: Bool = true) -> Parameter {
      query("appId", JSONSchema.appID, isNeeded ? "Of which app." : "Only of this app.", isNeeded: isNeeded)
    }

    static let limit = query(
      "limit",
      JSONSchema.number(Int64(Operations.Limits.pageSizes.lowerBound)...Int64(Operations.Limits.pageSizes.upperBound))
        .adding("default", .number(Operations.Limits.pageDefault)), "Items of one page at most.")

    /// Cursor of lists ordered by device.
    static let cursor = cursor(JSONSchema.uuid)
    /// Cursor of lists ordered by number.
    static let numberCursor = cursor(JSONSchema.sequence)
    /// Cursor of all other lists, whose format clients must not rely on.
    static let pageCursor = cursor(JSONSchema.opaque)

    private static func cursor(_ schema: JSONTree) -> Parameter {
      query("cursor", schema, "`nextCursor` of the page before; absent for the first.")
    }

    static let idempotencyKey = header(
      "Idempotency-Key",
      .object([
        ("type", "string"), ("minLength", .number(1)), ("maxLength", .number(Domain.Limits.idempotencyKeyBytes)),
      ]), "A name for this request, chosen by you: repeating it sends nothing twice.")
  }
}
