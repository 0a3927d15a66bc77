/// The versions of PostgreSQL that are supported.
package enum ServerVersion {
  /// The oldest major version: the first with NULLS NOT DISTINCT, which the schema needs.
  package static let oldestMajor = 15
  /// The oldest version as a server reports it (`server_version_num`), for example 150018 for 15.18.
  package static let oldestNumber = oldestMajor * 10_000
}
