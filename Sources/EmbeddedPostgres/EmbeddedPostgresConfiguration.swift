/// How the private database is created and run.
package struct EmbeddedPostgresConfiguration: Sendable {
  /// `UPMC_DATA_DIR`, relative or absolute; created if it does not exist.
  package var dataDirectory: String
  /// The user that runs the server when root starts `upmc`. Nil: the owner of the cluster, else `postgres`, else
  /// `nobody`.
  package var user: String?
  /// Directory of `initdb` and `postgres`. Nil: the usual places.
  package var programs: String?
  /// Parent of clusters whose data directory the server's user cannot reach.
  package var fallbackDirectory = "/var/lib/upmc"
  /// Whether creating a cluster waits until it is on disk. Only tests switch it off.
  var syncsNewCluster = true

  package init(dataDirectory: String) {
    self.dataDirectory = dataDirectory
  }
}
