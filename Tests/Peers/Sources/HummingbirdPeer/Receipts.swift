import Crypto
import Hummingbird

struct ReceiptBody: Decodable {
  struct Receipt: Decodable {
    let seqno: String
    let psid: String
    let pushkey: String
  }

  let receipts: [Receipt]
}

struct ReceiptAnswer: ResponseEncodable {
  struct Result: Encodable {
    let seqno: String
    let status: String
  }

  let results: [Result]
}

/// Does what checking a pushkey costs: the first 20 bytes of HMAC-SHA-256(key, SEQNO ‖ 0 ‖ PSID), in hexadecimal digits.
/// The product's key stays with the product, so a made-up one is used, and no answer depends on the comparison.
struct PushKeyCheck: Sendable {
  private let key = SymmetricKey(size: .bits256)

  func wasForged(_ receipt: ReceiptBody.Receipt) -> Bool {
    let message = Array(receipt.seqno.utf8) + [0] + Array(receipt.psid.utf8)
    let code = HMAC<SHA256>.authenticationCode(for: message, using: key)
    let digits = code.prefix(20).map { byte in
      String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
    }.joined()
    // A made-up key never fits; the length is all that can be asked for.
    return digits.utf8.count != receipt.pushkey.utf8.count
  }
}
