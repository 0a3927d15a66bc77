package import Domain
package import JSON
internal import Store
package import Time

/// Result of a send, a resend or a dry run.
package enum SendAnswer: JSONAnswer {
  /// The message is stored and will be sent.
  case accepted(Accepted)
  /// A second person must approve the message first; only the approval request is stored.
  case waiting(ApprovalService.Waiting)
  /// A dry run: nothing was stored.
  case tried(DryRun)

  package struct Accepted: Equatable, Sendable {
    package let seqno: Seqno
    /// Number of devices; nil if the audience is too large to be counted in the request.
    package let targeted: Int64?
    /// JSON array of the audience's entries that match no active device or no group.
    package let unknown: [UInt8]
    /// Due time, until which `targeted` is an estimate; nil if the message is sent immediately.
    package let dueAt: Timestamp?
    /// The message that this one resends to some of its devices; nil if it is not a resend.
    package let resendOf: Seqno?
    /// Number of devices by push network if they were resolved individually; otherwise empty, as for a repeated
    /// request. Ignored when two answers are compared.
    package var networks: [PushNetwork: Int64] = [:]

    init(seqno: Seqno, targeted: Int64?, unknown: [UInt8], dueAt: Timestamp? = nil, resendOf: Seqno? = nil) {
      self.seqno = seqno
      self.targeted = targeted
      self.unknown = unknown
      self.dueAt = dueAt
      self.resendOf = resendOf
    }

    package static let object = JSONObject<Accepted>(
      "Accepted",
      [
        .always("seqno", .sequence, \.seqno, "SEQNO: the message's number."),
        .always("state", .words(["queued", "scheduled"]), { $0.dueAt == nil ? "queued" : "scheduled" }),
        .always(
          "targeted", .orNull(.count), \.targeted, "Devices; null when there are too many to count at once."),
        .optional(
          "estimate", .alwaysTrue, { $0.dueAt == nil ? nil : true },
          "The audience is counted again when the message is due."),
        .optional("sendAt", .moment, \.dueAt, "When it is due."),
        .optional("resendOf", .sequence, \.resendOf, "The message that it repeats."),
        ResolvedAudience.unknownField.of(\.unknown),
      ])

    package static func == (left: Accepted, right: Accepted) -> Bool {
      left.seqno == right.seqno && left.targeted == right.targeted && left.unknown == right.unknown
        && left.dueAt == right.dueAt && left.resendOf == right.resendOf
    }

    /// Recreates the answer to an earlier request.
    init(_ earlier: Messages.Earlier) {
      self.init(
        seqno: earlier.seqno, targeted: earlier.targeted, unknown: Array(earlier.unknownEntries.utf8),
        dueAt: earlier.dueAt, resendOf: earlier.resendOf)
    }
  }

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .accepted(let accepted): Accepted.object.write(accepted, to: &writer)
    case .waiting(let waiting): ApprovalService.Waiting.object.write(waiting, to: &writer)
    case .tried(let dryRun): DryRun.object.write(dryRun, to: &writer)
    }
  }
}
