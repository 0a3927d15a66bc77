package import Domain
package import HTTP2

/// How a network's requests are written.
package protocol PushComposer: AnyObject {
  /// Writes what differs from push to push. Returns why the push cannot be sent at all, in the network's word.
  func compose(_ target: PushTarget, of message: PushMessage, into letter: inout EncodedPush) -> String?
  /// What all pushes of a message have in common.
  func template(for message: PushMessage, authority: String) -> RequestTemplate
}

/// What differs from push to push, as bytes. Keeps its storage between pushes.
package struct EncodedPush {
  package var path: [UInt8] = []
  /// The value of the template's varying field; unused where it has none.
  package var varying: [UInt8] = []
  package var body: [UInt8] = []

  package init() {}
}
