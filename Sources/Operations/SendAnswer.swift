package import JSON
internal import Store

/// What a send answers.
package enum SendAnswer: JSONAnswer {
  /// The message is stored and will be sent.
  case accepted(Accepted)
  /// Nothing was stored.
  case tried(DryRun)

  package struct Accepted: Equatable, Sendable {
    package let seqno: Int64
    /// Nil when the audience is too large to count at once.
    package let targeted: Int64?
    /// A JSON array of the entries that name nobody.
    package let unknown: [UInt8]

    init(seqno: Int64, targeted: Int64?, unknown: [UInt8]) {
      self.seqno = seqno
      self.targeted = targeted
      self.unknown = unknown
    }

    /// The same as was answered to an earlier request.
    init(_ earlier: Messages.Earlier) {
      self.init(seqno: earlier.seqno, targeted: earlier.targeted, unknown: Array(earlier.unknownEntries.utf8))
    }
  }

  package func write(to writer: inout JSONWriter) {
    switch self {
    case .accepted(let accepted):
      writer.member("seqno", String(accepted.seqno))
      writer.member("state", "queued")
      writer.member("targeted", accepted.targeted)
      writer.member("unknown", raw: accepted.unknown)
    case .tried(let dryRun): dryRun.write(to: &writer)
    }
  }
}
