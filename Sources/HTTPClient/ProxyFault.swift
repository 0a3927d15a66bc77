/// Why a text is no proxy: the end of a sentence that begins with the variable's name. Never holds the text.
package struct ProxyFault: Error, Equatable {
  package let reason: String
}
