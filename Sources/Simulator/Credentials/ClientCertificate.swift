/// What a provider's client certificate allows: read from Apple's extensions in it.
package struct ClientCertificate: Equatable, Sendable {
  /// Every topic it may push to, with suffixes.
  package let topics: Set<String>
  package let environments: Set<Environment>

  package init(topics: Set<String>, environments: Set<Environment>) {
    self.topics = topics
    self.environments = environments
  }
}
