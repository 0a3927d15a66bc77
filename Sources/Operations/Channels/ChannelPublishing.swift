internal import Crypto
package import Domain
package import JSON
package import Postgres
internal import Store

/// Publishes updates on a channel. Each update is committed before the call is answered, and replaces an earlier update
/// that has not been sent yet. A server sends it as soon as the channel's pace allows.
package enum ChannelPublishing {
  package struct Accepted: Equatable, DescribedAnswer {
    package let channel: Int64
    package let version: Int64
    /// True if an update with a later timestamp had been accepted before, so that this one was not stored.
    package let isSuperseded: Bool

    package static let object = JSONObject<Accepted>(
      "ChannelUpdateAccepted",
      [
        .always("channelId", .sequence, \.channel), .always("version", .count, \.version),
        .always(
          "state", .words(["queued", "superseded"]), { $0.isSuperseded ? "superseded" : "queued" },
          """
          `queued`: it is stored, and is published as soon as the channel's pace allows, unless a newer one comes before. \
          `superseded`: one with a later timestamp was there already.
          """),
      ])
  }

  /// Accepts an update for publication, unless one with a later timestamp was accepted before. Audited in both cases,
  /// unless the caller has an API key or repeats an idempotency key.
  /// - Parameters:
  ///   - body: a `ChannelUpdate` as JSON.
  ///   - channel: number of the channel; nil if the request contains no valid number.
  ///   - idempotencyKey: unique within the channel; nil for none.
  /// - Returns: the version of the update, or of the later one; for a repeated idempotency key, the first answer.
  /// - Throws: `.unknownChannel` if the app has no such channel, `.idempotencyConflict` if the key was used for another
  ///   update, `.conflict` if the app is being deleted, `.forbidden`, `.unknownApp`, and the problem of an invalid key,
  ///   body or payload.
  package static func publish(
    _ body: [UInt8], on channel: Int64?, of appID: String, idempotencyKey: String?, by caller: Caller,
    on connection: Connection
  ) throws(Problem) -> Accepted {
    let app = try connection.app(appID, allowing: caller, to: .send)
    try IdempotencyKey.check(idempotencyKey)
    let update = try ChannelUpdate.object.read(body: body)
    let payload = try update.payload()
    let record = try ChannelService.record(channel, of: app, on: connection)
    let sha256 = SHA256.hash(body)
    return try connection.commitReading { () throws(Problem) in
      guard let locked = try connection.answer(Channels.lock(record.channel)) else {
        throw Problem(.unknownChannel, "The channel was deleted meanwhile.")
      }
      if let key = idempotencyKey,
        let earlier = try connection.answer(ChannelUpdates.earlier(record.channel, key: key))
      {
        guard earlier.sha256 == sha256 else {
          throw Problem(
            .idempotencyConflict, "The key \"\(key)\" was used for another update of this channel. Use a new one.")
        }
        return Accepted(channel: record.channel, version: earlier.version, isSuperseded: earlier.isSuperseded)
      }
      // Devices ignore an update older than the one they show, so an older one must not replace a newer one here.
      let isSuperseded = locked.version > 0 && update.activity.timestamp < locked.eventTime
      let version =
        isSuperseded
        ? locked.version
        : try connection.answer(
          ChannelUpdates.set(
            record.channel, payload, priority: update.priority, eventTime: update.activity.timestamp,
            expiresIn: update.expiresInSeconds))
      if let key = idempotencyKey {
        try connection.answer(
          ChannelUpdates.note(
            record.channel, key: key, sha256: sha256, version: version, isSuperseded: isSuperseded))
      }
      // Systems publish every second, so only updates published by people are audited.
      if caller.apiKey == nil {
        let change = AuditTrail.Change("channel.publish", record.name, in: app).to {
          $0.member("version", version)
          $0.member("event", update.activity.event.rawValue)
        }
        try connection.answer(AuditTrail.add(change, by: caller))
      }
      return Accepted(channel: record.channel, version: version, isSuperseded: isSuperseded)
    }
  }
}
