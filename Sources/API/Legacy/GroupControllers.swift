internal import Domain
internal import JSON
internal import Operations

/// Calls with which a device joins and leaves groups, and sets its user's badge count.
extension LegacyHandler {
  func joinGroup(_ call: LegacyCall) throws(LegacyRefusal) {
    let group = try Self.group(call.form)
    try withClaim(call, isAboutUser: true) { [self] _, claim in
      perform(.join(claim, group: group), call) { _ in call.succeedQuietly() }
    }
  }

  func leaveGroup(_ call: LegacyCall) throws(LegacyRefusal) {
    let group = try Self.group(call.form)
    try withClaim(call, isAboutUser: true) { [self] _, claim in
      perform(.leave(claim, group: group), call) { _ in call.succeedQuietly() }
    }
  }

  static func group(_ form: Form) throws(LegacyRefusal) -> Int64 {
    guard let group = try form.number("GROUPSEQ", in: 1...Int64.max) else {
      throw LegacyRefusal(field: "GROUPSEQ", "is needed")
    }
    return group
  }

  /// Sets the user's badge count to BADGENO, from 0 to the maximum of `Domain.Limits.badgeCount`, and answers with it.
  /// Refuses the call if the field is absent or out of range.
  func setBadge(_ call: LegacyCall) throws(LegacyRefusal) {
    let range = Int64(Domain.Limits.badgeCount.lowerBound)...Int64(Domain.Limits.badgeCount.upperBound)
    guard let badge = try call.form.number("BADGENO", in: range) else {
      throw LegacyRefusal(field: "BADGENO", "is needed")
    }
    try withClaim(call, isAboutUser: true) { [self] _, claim in
      perform(.setBadge(claim, Int16(badge)), call) { answer in
        guard case .badge(let count) = answer else { return }
        call.succeed(Envelope.row { writer in writer.member("BADGENO", String(count)) })
      }
    }
  }
}
