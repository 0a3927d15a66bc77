package import JSON

/// Kinds of values that occur everywhere in the API, as they are read and written.
extension JSONForm where Value: FixedWidthInteger & Sendable {
  /// The number of something, such as a SEQNO, in quotes.
  package static var sequence: JSONForm {
    JSONForm<String>.anyText.described(JSONSchema.sequence).standing(
      for: { text in SequenceNumber.parse(text).flatMap { Value(exactly: $0) } },
      else: "must be a number in quotes: a whole number from 1", written: { String($0) })
  }
}

extension JSONForm<Int64> {
  /// A GROUPSEQ of a request, in quotes or as a number.
  package static let groupSeq = JSONForm(
    JSONSchema.reference("GroupSeq"), read: { (reader) throws(JSONError) in try reader.readGroupSeq() })
}

extension JSONForm<DeviceID> {
  /// A device's id, a UUID.
  package static let device = JSONForm<String>.anyText.described(JSONSchema.uuid).standing(
    for: { DeviceID($0) }, else: "must be a device's id, as lists show it", written: \.description)
}

extension JSONForm<PushNetwork> {
  package static let network = JSONForm<String>.words(PushNetwork.allCases.map(\.pnsID)).standing(
    for: { word in PushNetwork.allCases.first { $0.pnsID == word } }, else: "is not known", written: \.pnsID)
}

extension JSONForm<PushEnvironment> {
  package static let environment = JSONForm<String>.words(PushEnvironment.allCases.map(\.name)).standing(
    for: { word in PushEnvironment.allCases.first { $0.name == word } }, else: "is not known", written: \.name)
}

extension JSONForm<String> {
  package static let appID = JSONForm.text(upTo: Domain.Limits.appIDBytes).described(JSONSchema.appID)
}
