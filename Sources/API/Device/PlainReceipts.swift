internal import Domain
internal import Operations
internal import Reactor

/// Parses receipts without copying them, if they are in exactly the form in which the client libraries write them:
///
/// ```
/// {"receipts":[{"seqno":"104","psid":"00fc13ad…","pushkey":"2a4dc34b…","at":"2026-11-21T09:30:00Z"},…]}
/// ```
/// Bodies with white space, escapes, another order or errors are left to `JSONReader`, which parses or refuses them.
/// For a body that both accept, the receipts have the same effect either way.
struct PlainReceipts {
  /// The byte ranges of a receipt's values in the body, without their quotation marks; `at` is nil if absent.
  struct Entry {
    let seqno: Range<Int>
    let psid: Range<Int>
    let pushkey: Range<Int>
    let at: Range<Int>?
  }

  private var position = 0

  /// Returns the receipts of a body, at least one. Nil if `JSONReader` must parse the body: it is in another form, has
  /// more than `Domain.Limits.confirmationsPerCall` receipts, or `confirmation` has returned nil for one of them.
  /// - Parameter confirmation: checks the values of a receipt and creates its confirmation.
  static func read(
    _ body: Span<UInt8>, _ confirmation: (Entry) -> Operation.Confirmation?
  ) -> [Operation.Confirmation]? {
    var reader = PlainReceipts()
    guard reader.take(#"{"receipts":["#, body) else { return nil }
    var confirmations: [Operation.Confirmation] = []
    repeat {
      guard confirmations.count < Domain.Limits.confirmationsPerCall, let entry = reader.readEntry(body),
        let confirmation = confirmation(entry)
      else { return nil }
      // Nearly all bodies have one receipt; appending to an empty array would allocate room for more.
      if confirmations.isEmpty { confirmations = [confirmation] } else { confirmations.append(confirmation) }
    } while reader.take(",", body)
    return reader.take("]}", body) && reader.position == body.count ? confirmations : nil
  }

  private mutating func readEntry(_ body: Span<UInt8>) -> Entry? {
    guard take(#"{"seqno":"#, body), let seqno = readText(body), take(#","psid":"#, body), let psid = readText(body),
      take(#","pushkey":"#, body), let pushkey = readText(body)
    else { return nil }
    var at: Range<Int>?
    if take(#","at":"#, body) {
      at = readText(body)
      if at == nil { return nil }
    }
    return take("}", body) ? Entry(seqno: seqno, psid: psid, pushkey: pushkey, at: at) : nil
  }

  /// Reads a JSON string of plain ASCII without escapes, moves behind it, and returns its range without the quotation
  /// marks. Nil if there is anything else at the current position.
  private mutating func readText(_ body: Span<UInt8>) -> Range<Int>? {
    guard take("\"", body) else { return nil }
    let start = position
    let end = body.endOfPlainText(from: start)
    guard end < body.count, body[end] == UInt8(ascii: "\"") else { return nil }
    position = end + 1
    return start..<end
  }

  @inline(__always)
  private mutating func take(_ text: StaticString, _ body: Span<UInt8>) -> Bool {
    guard body.hasText(text, at: position) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }
}
