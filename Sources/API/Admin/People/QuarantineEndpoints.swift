internal import Domain
internal import HTTPServer
internal import JSON
internal import Operations
internal import Time

/// Endpoints for quarantined devices.
extension Endpoint {
  static let quarantine: [Endpoint] = [
    Endpoint(
      .get, "/v1/admin/quarantine", id: "listQuarantine", in: .administration, "List quarantined devices",
      "Their network refused the token. They keep everything they have, and come back when they register again.",
      by: .permission(.manageQuarantine), load: .heavy,
      parameters: [
        .query("appId", JSONSchema.appID, "Whose devices.", isNeeded: true),
        .query("reason", reason, "Only those that the network refused with this word."), .limit, .cursor,
      ],
      answers: [
        Answer(
          200, "A page of devices.", ItemPage<QuarantineService.Entry>.object,
          example: """
            {"items":[{"device":"b7f4a1d0-52c9-8e3b-9a60-0c1d2e3f4a5b","clientUid":"kim01","pnsId":"APNS",\
            "environment":"production","psidPrefix":"00fc13ad","reason":"BadDeviceToken","seqno":"104",\
            "at":"2026-11-21T09:30:00.123Z"}],"nextCursor":null}
            """)
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.quarantine)),
    Endpoint(
      .get, "/v1/admin/quarantine/reasons", id: "listQuarantineReasons", in: .administration,
      "Count quarantined devices by reason",
      "Many at once with one reason point to a credential or an environment, few with several to uninstalled apps.",
      by: .permission(.manageQuarantine), load: .heavy, parameters: [.ofApp()],
      answers: [
        Answer(
          200, "The reasons.", QuarantineService.Reasons.object,
          example: """
            {"reasons":[{"reason":"BadDeviceToken","pnsId":"APNS","devices":12,"latest":"2026-11-21T09:30:00.123Z"}]}
            """)
      ], problems: [.invalidField, .unknownApp], handler: .whole(AdminCall.quarantineReasons)),
    Endpoint(
      .post, "/v1/admin/quarantine/restore", id: "restoreQuarantine", in: .administration, "Give devices back",
      "One, those quarantined since a time or for a reason, or all. What was skipped meanwhile is not sent again.",
      by: .permission(.manageQuarantine),
      body: Body(
        schema: "Restoration",
        examples: [
          ("all", #"{"appId":"com.example.bank","all":true}"#),
          ("since", #"{"appId":"com.example.bank","since":"2026-11-21T09:00:00Z"}"#),
          ("reason", #"{"appId":"com.example.bank","reason":"BadDeviceToken"}"#),
        ]),
      answers: [Answer(200, "How many came back.", QuarantineService.Restored.object, example: #"{"restored":3}"#)],
      problems: [.unknownApp, .unknownDevice], handler: .whole(AdminCall.restoreQuarantine)),
  ]

  /// The named schemas that these endpoints add to the OpenAPI document (`Schemas`), in the document's order.
  static let quarantineSchemas: [JSONTree.Member] = [
    ItemPage<QuarantineService.Entry>.object.named,
    (
      "Restoration",
      JSONSchema.oneOf([
        restoration("device", JSONSchema.uuid, "This one."),
        restoration("since", JSONSchema.moment, "Those quarantined since then."),
        restoration("reason", reason, "Those quarantined with this word of the network."),
        restoration("all", JSONSchema.alwaysTrue, "Everyone."),
      ])
    ),
    QuarantineService.Restored.object.named, QuarantineService.Reasons.object.named,
  ]

  private static let reason = JSONSchema.text(upTo: 200)

  /// Returns the schema of one form of the restoration request, with the member `name` besides `appId`. Keep it
  /// consistent with `AdminCall.readRestoration`.
  private static func restoration(_ name: String, _ schema: JSONTree, _ about: String) -> JSONTree {
    JSONSchema.object(isClosed: true, [.required("appId", JSONSchema.appID), .required(name, schema, about)])
      .titled("Restoration\(name.prefix(1).uppercased())\(name.dropFirst())")
  }
}

extension AdminCall {
  fileprivate func quarantine() throws(Problem) -> Response {
    guard let appID = query["appId"] else {
      throw Problem(.invalidField, "Say whose devices: /v1/admin/quarantine?appId=…")
    }
    let page = try page()
    return .json(
      .ok, try QuarantineService.list(appID, reason: query["reason"], page, by: caller, on: connection))
  }

  fileprivate func quarantineReasons() throws(Problem) -> Response {
    .json(.ok, try QuarantineService.reasons(try required("appId"), by: caller, on: connection))
  }

  fileprivate func restoreQuarantine() throws(Problem) -> Response {
    let (appID, scope) = try Self.readRestoration(try jsonBody())
    return .json(.ok, try QuarantineService.restore(scope, of: appID, by: caller, on: connection))
  }

  /// Parses the body of a restoration: `{"appId", "device"}` restores one device, `{"appId", "since"}` those
  /// quarantined since a time, `{"appId", "reason"}` those quarantined for a reason, `{"appId", "all": true}` all of
  /// the app.
  /// - Throws: `.malformed` if the body is not a JSON object; `.invalidField` if a member is invalid or unknown, if
  ///   `appId` is missing, or if there is not exactly one of the other members.
  static func readRestoration(_ body: [UInt8]) throws(Problem) -> (appID: String, scope: QuarantineService.Scope) {
    var reader = JSONReader(body)
    var appID: String?
    var scopes: [QuarantineService.Scope] = []
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        switch key {
        case "appId": appID = try reader.readText(upTo: Domain.Limits.appIDBytes)
        case "device": scopes.append(.device(try readDevice(&reader)))
        case "since": scopes.append(.since(try reader.readMoment()))
        case "reason": scopes.append(.reason(try reader.readText(upTo: 200)))
        case "all":
          guard try reader.readBool() else { throw JSONError("must be true, or left out") }
          scopes.append(.all)
        default: throw .unknownField
        }
      }
      try reader.finish()
    } catch {
      throw Problem(error)
    }
    guard let appID else { throw Problem(at: "/appId", "is needed") }
    guard scopes.count == 1 else {
      throw Problem(.invalidField, "Give one of device, since, reason and all: which devices to release.")
    }
    return (appID, scopes[0])
  }

  private static func readDevice(_ reader: inout JSONReader) throws(JSONError) -> DeviceID {
    guard let device = DeviceID(try reader.readString()) else {
      throw JSONError("must be a device's id, as lists show it")
    }
    return device
  }
}
