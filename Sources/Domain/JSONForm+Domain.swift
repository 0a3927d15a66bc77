package import JSON

/// Forms of values that occur throughout the API: how each is parsed, written and described.
extension JSONForm where Value: FixedWidthInteger & Sendable {
  /// The form of a positive number such as a SEQNO, as a string of at most 18 digits.
  package static var sequence: JSONForm {
    JSONForm<String>.anyText.described(JSONSchema.sequence).mapped(
      by: { text in SequenceNumber.parse(text).flatMap { Value(exactly: $0) } },
      else: "must be a number in quotes: a whole number from 1", written: { String($0) })
  }
}

extension JSONForm<Int64> {
  /// The form of a GROUPSEQ in a request, as a string or a number.
  package static let groupSeq = JSONForm(
    JSONSchema.reference("GroupSeq"), read: { (reader) throws(JSONError) in try reader.readGroupSeq() })
}

extension JSONForm where Value: FixedWidthInteger & Sendable {
  /// Returns the form of a number of seconds in this range, as an ISO 8601 duration.
  package static func seconds(_ range: ClosedRange<Int64>) -> JSONForm {
    JSONForm(
      JSONSchema.duration(range),
      read: { (reader) throws(JSONError) in try reader.readSeconds(in: range) },
      write: { $1.value(ISODuration.text(Int64($0))) })
  }
}

extension JSONForm<Pace> {
  package static let pace = JSONForm(
    JSONSchema.reference("Pace"), read: { (reader) throws(JSONError) in try Pace.read(&reader) })
}

extension JSONForm<ResendTarget> {
  package static let resendTarget = JSONForm<String>.words(ResendTarget.allCases.map(\.name)).mapped(
    by: { ResendTarget(name: $0) }, else: "is not known", written: \.name)
}

extension JSONForm<DeviceID> {
  /// The form of a device's id, a UUID.
  package static let device = JSONForm<String>.anyText.described(JSONSchema.uuid).mapped(
    by: { DeviceID($0) }, else: "must be a device's id, as lists show it", written: \.description)
}

extension JSONForm<Seqno> {
  /// The form of a SEQNO, a string.
  package static let sequence = JSONForm(
    JSONSchema.sequence, read: { (reader) throws(JSONError) in try reader.readSeqno() },
    write: { $1.value($0.description) })
}

extension JSONForm<Int16> {
  /// The form of a value that a badge may be set to.
  package static let badge = JSONForm(
    JSONSchema.badge, read: { (reader) throws(JSONError) in try reader.readBadge() })
  /// The form of a user's badge count in responses.
  package static let badgeCount = JSONForm.number(Domain.Limits.badgeCount)
}

extension JSONForm<PushNetwork> {
  package static let network = JSONForm<String>.words(PushNetwork.allCases.map(\.pnsID)).mapped(
    by: { word in PushNetwork.allCases.first { $0.pnsID == word } }, else: "is not known", written: \.pnsID)
}

extension JSONForm<PushEnvironment> {
  package static let environment = JSONForm<String>.words(PushEnvironment.allCases.map(\.name)).mapped(
    by: { word in PushEnvironment.allCases.first { $0.name == word } }, else: "is not known", written: \.name)
}

extension JSONForm<Lane> {
  package static let lane = JSONForm<String>.words(Lane.allCases.map(\.name)).mapped(
    by: { Lane(name: $0) }, else: "is not known", written: \.name)
}

extension JSONForm<App.DevicePolicy> {
  package static let devicePolicy = JSONForm<String>.words([App.DevicePolicy.multi.name, App.DevicePolicy.single.name])
    .mapped(by: { App.DevicePolicy(name: $0) }, else: "is not known", written: \.name)
}

extension JSONForm<App.Identity> {
  package static let identity = JSONForm<String>.words(App.Identity.allCases.map(\.name)).mapped(
    by: { App.Identity(name: $0) }, else: "is not known", written: \.name)
}

extension JSONForm<String> {
  /// The form of a user's CUID: 1 to 256 bytes; `GUEST` is not excluded.
  package static let clientUID = JSONForm.text(upTo: Domain.Limits.clientUIDBytes)
  /// The form of an attribute that a device reports, such as its model: 1 to 128 bytes.
  package static let attribute = JSONForm.text(upTo: Domain.Limits.attributeBytes)
  package static let appID = JSONForm.text(upTo: Domain.Limits.appIDBytes).described(JSONSchema.appID)
}

extension JSONObject {
  /// Parses the body of a request.
  /// - Throws: `.malformed` if it is not the expected JSON; `.invalidField` or, if fields only contradict each other,
  ///   `.impossible`, with a pointer to each faulty field.
  package func read(body: [UInt8]) throws(Problem) -> Root {
    do throws(JSONError) {
      return try read(body)
    } catch {
      throw Problem(error)
    }
  }
}
