/// The proportions of device requests.
struct RequestMix: Sendable {
  enum Kind: Sendable, CaseIterable {
    case receipt
    /// With the badge option `keep`.
    case read
    /// A known device registers again with one changed field.
    case registration
  }

  let name: String
  /// Shares out of ten requests; they add up to ten.
  let shares: [(kind: Kind, share: Int)]

  static let receipts = RequestMix(name: "receipts", shares: [(.receipt, 10)])
  static let reads = RequestMix(name: "reads with badge keep", shares: [(.read, 10)])
  static let registrations = RequestMix(name: "registrations", shares: [(.registration, 10)])
  static let mixed = RequestMix(
    name: "70 % receipts, 20 % reads, 10 % registrations",
    shares: [(.receipt, 7), (.read, 2), (.registration, 1)])

  /// The kind of the request with this number.
  func kind(_ number: Int) -> Kind {
    var place = number % 10
    for entry in shares {
      if place < entry.share { return entry.kind }
      place -= entry.share
    }
    return shares[0].kind
  }
}
