/// The settings for creating and running the private database.
package struct EmbeddedPostgresConfiguration: Sendable {
  /// The directory `UPMC_DATA_DIR`, relative or absolute; created if it does not exist.
  package var dataDirectory: String
  /// The user that runs the server if `upmc` is started by root. Nil for the owner of the cluster, or else `postgres`,
  /// or else `nobody`.
  package var user: String?
  /// The directory of the programs `initdb` and `postgres`; nil for the directories that Linux distributions use.
  package var programs: String?
  /// The parent directory of clusters whose data directory the server's user cannot reach.
  package var fallbackDirectory = "/var/lib/upmc"
  /// True to sync a new cluster to disk. Only tests set it to false.
  var syncsNewCluster = true

  package init(dataDirectory: String) {
    self.dataDirectory = dataDirectory
  }
}
