/// The reason why a text is not a valid proxy setting, as the rest of a sentence that starts with the variable's name.
/// Never quotes the text, which may contain a password.
package struct ProxyFault: Error, Equatable {
  package let reason: String
}
