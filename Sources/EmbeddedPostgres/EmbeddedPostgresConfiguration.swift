/// What the private database is made and run with.
package struct EmbeddedPostgresConfiguration: Sendable {
  /// `UPMC_DATA_DIR`, relative or absolute; made when it is not there.
  package var dataDirectory: String
  /// The user that runs the server when `upmc` is started by root. Absent: the owner of the cluster, else `postgres`,
  /// else `nobody`.
  package var user: String?
  /// Where `initdb` and `postgres` are. Absent: the usual places.
  package var programs: String?
  /// Where clusters lie whose data directory the server's user cannot reach.
  package var fallbackDirectory = "/var/lib/upmc"
  /// Whether making a cluster waits until it is on the disk. Only tests do without.
  var syncsNewCluster = true

  package init(dataDirectory: String) {
    self.dataDirectory = dataDirectory
  }
}
