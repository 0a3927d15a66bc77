/// What a provider's client certificate may be used for, according to Apple's extensions in it.
package struct ClientCertificate: Equatable, Sendable {
  /// All topics that it may push to, with suffixes.
  package let topics: Set<String>
  package let environments: Set<Environment>

  package init(topics: Set<String>, environments: Set<Environment>) {
    self.topics = topics
    self.environments = environments
  }
}
