package import Domain
package import JSON
internal import Store

/// What a send answers.
package enum SendAnswer: JSONAnswer {
  /// The message is stored and will be sent.
  case accepted(Accepted)
  /// A second person is asked first.
  case waiting(ApprovalService.Waiting)
  /// Nothing was stored.
  case tried(DryRun)

  package struct Accepted: Equatable, Sendable {
    package let seqno: Int64
    /// Nil when the audience is too large to count at once.
    package let targeted: Int64?
    /// A JSON array of the entries that name nobody.
    package let unknown: [UInt8]
    /// When it goes out, microseconds since 1970; nil: now. Until then `targeted` is an estimate.
    package let dueAt: Int64?
    /// The message that it repeats for some of its devices.
    package let resendOf: Int64?
    /// Devices by push network, where they were looked up one by one; else empty, as for a repeated request. No part of
    /// what makes two answers the same.
    package var networks: [PushNetwork: Int64] = [:]

    init(seqno: Int64, targeted: Int64?, unknown: [UInt8], dueAt: Int64? = nil, resendOf: Int64? = nil) {
      self.seqno = seqno
      self.targeted = targeted
      self.unknown = unknown
      self.dueAt = dueAt
      self.resendOf = resendOf
    }

    package static func == (left: Accepted, right: Accepted) -> Bool {
      left.seqno == right.seqno && left.targeted == right.targeted && left.unknown == right.unknown
        && left.dueAt == right.dueAt && left.resendOf == right.resendOf
    }

    /// The same as was answered to an earlier request.
    init(_ earlier: Messages.Earlier) {
      self.init(
        seqno: earlier.seqno, targeted: earlier.targeted, unknown: Array(earlier.unknownEntries.utf8),
        dueAt: earlier.dueAt, resendOf: earlier.resendOf)
    }
  }

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .accepted(let accepted):
      writer.member("seqno", String(accepted.seqno))
      writer.member("state", accepted.dueAt == nil ? "queued" : "scheduled")
      writer.member("targeted", accepted.targeted)
      if let dueAt = accepted.dueAt {
        writer.member("estimate", true)
        writer.member("sendAt", Timestamp.text(dueAt))
      }
      if let resendOf = accepted.resendOf { writer.member("resendOf", String(resendOf)) }
      writer.member("unknown", raw: accepted.unknown)
    case .waiting(let waiting): waiting.write(to: &writer)
    case .tried(let dryRun): dryRun.write(to: &writer)
    }
  }
}
