package import JSON

/// Schemas of values that occur throughout the API.
extension JSONSchema {
  package static let appID = JSONTree.object([
    ("type", "string"), ("pattern", "^[A-Za-z0-9._-]+$"), ("minLength", .number(1)),
    ("maxLength", .number(Domain.Limits.appIDBytes)),
  ])

  package static let tag = text(
    upTo: Domain.Limits.tagBytes,
    matching: #"^[^\u0000-\u0020\u007f]([^\u0000-\u001f\u007f]*[^\u0000-\u0020\u007f])?$"#)

  /// Schema of a SEQNO or GROUPSEQ as a string: 1 to 18 digits without a leading zero.
  package static let sequence = text(matching: "^[1-9][0-9]{0,17}$")
  package static let badge = number(
    Int64(Domain.Limits.badgeValue.lowerBound)...Int64(Domain.Limits.badgeValue.upperBound))
  package static let badgeCount = number(
    Int64(Domain.Limits.badgeCount.lowerBound)...Int64(Domain.Limits.badgeCount.upperBound))

  /// Returns the schema of an ISO 8601 duration in this range of seconds, in units from weeks to seconds.
  package static func duration(_ seconds: ClosedRange<Int64>) -> JSONTree {
    text(
      matching: "^P(?!$)([0-9]{1,9}W)?([0-9]{1,9}D)?(T(?!$)([0-9]{1,9}H)?([0-9]{1,9}M)?([0-9]{1,9}S)?)?$", "duration"
    )
    .adding([
      ("x-minimumSeconds", .number(seconds.lowerBound)), ("x-maximumSeconds", .number(seconds.upperBound)),
      ("examples", .texts(["PT10M"])),
    ])
  }
}
