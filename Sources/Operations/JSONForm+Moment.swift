internal import Domain
package import JSON

/// Moments, as every answer writes them and every request may say them.
extension JSONForm<Int64> {
  /// Microseconds since 1970, as text: RFC 3339; in answers UTC, with milliseconds.
  package static let moment = JSONForm(
    JSONSchema.moment, read: { (reader) throws(JSONError) in try reader.readMoment() },
    write: { $1.value(Timestamp.text($0)) })
}
