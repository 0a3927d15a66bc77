/// Why a text is no valid proxy, as the end of a sentence that begins with the variable's name. Never contains the
/// text.
package struct ProxyFault: Error, Equatable {
  package let reason: String
}
