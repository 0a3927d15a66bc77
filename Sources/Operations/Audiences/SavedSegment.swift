internal import Domain
internal import JSON
internal import Postgres
internal import Store

/// Copies a saved segment's conditions into a message that references it, so that editing or deleting the segment does
/// not affect accepted messages, and every node reads the same conditions. Decision 062.
enum SavedSegment {
  /// Copies the conditions into the message and its JSON, if it references a saved segment.
  /// - Parameter body: the request as JSON.
  /// - Returns: the request to store; `body` unchanged if the message references no saved segment.
  /// - Throws: `.unknownSegment` if the app has no such segment.
  static func copy(
    into message: inout MessageRequest, _ body: [UInt8], _ app: App, on connection: Connection
  ) throws(Problem) -> [UInt8] {
    guard case .savedSegment(let number) = message.audience else { return body }
    guard let record = try connection.answer(Segments.find(number)), record.app == app.number else {
      throw Problem(.unknownSegment, "The app \(app.appID) has no segment \(number).")
    }
    message.audience = .segment(try Segment(json: Array(record.conditions.utf8)))
    var audience = JSONWriter()
    audience.object { $0.member("segment", raw: record.conditions) }
    return try replacing("audience", by: audience.bytes, in: body)
  }

  /// Returns the JSON object with the value of the named member replaced. If it has no such member, its members stay as
  /// they are.
  /// - Throws: `.malformed` if `body` is not a JSON object.
  private static func replacing(_ name: String, by value: [UInt8], in body: [UInt8]) throws(Problem) -> [UInt8] {
    var reader = JSONReader(body)
    var members: [(name: String, value: [UInt8])] = []
    do throws(JSONError) {
      try reader.readObject { (reader, key) throws(JSONError) in
        let present = try reader.readRaw()
        members.append((key, key == name ? value : present))
      }
    } catch {
      throw Problem(error)
    }
    var writer = JSONWriter(capacity: body.count + value.count)
    writer.object { writer in
      for member in members { writer.member(member.name, raw: member.value) }
    }
    return writer.bytes
  }
}
