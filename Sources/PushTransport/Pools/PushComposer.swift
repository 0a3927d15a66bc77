package import Domain
package import HTTP2

/// The encoder of pushes as requests of one push network.
package protocol PushComposer: AnyObject {
  /// Encodes the parts of a request that differ between pushes into `encoded`, replacing its content. Returns nil on
  /// success, or the reason why this push can never be sent (for example `PayloadTooLarge`).
  func compose(_ target: PushTarget, of message: PushMessage, into encoded: inout EncodedPush) -> String?
  /// Returns the header fields that all pushes of a message have in common.
  func template(for message: PushMessage, authority: String) -> RequestTemplate
}

/// The parts of an encoded request that differ between pushes. Reused from push to push to avoid allocations.
package struct EncodedPush {
  package var path: [UInt8] = []
  /// The value of the header field that the template leaves open; unused if there is none.
  package var varying: [UInt8] = []
  package var body: [UInt8] = []

  package init() {}
}
