package import Domain
package import HTTP2

/// Encodes a network's requests.
package protocol PushComposer: AnyObject {
  /// Encodes the parts of a request that differ from push to push. Returns nil on success, or the reason if this push
  /// can never be sent (for example `PayloadTooLarge`).
  func compose(_ target: PushTarget, of message: PushMessage, into letter: inout EncodedPush) -> String?
  /// What all pushes of a message have in common.
  func template(for message: PushMessage, authority: String) -> RequestTemplate
}

/// The bytes that differ from push to push. Reuses its storage.
package struct EncodedPush {
  package var path: [UInt8] = []
  /// The value of the template's varying field; unused if it has none.
  package var varying: [UInt8] = []
  package var body: [UInt8] = []

  package init() {}
}
