internal import Postgres

extension ProcessTree {
  /// The local PostgreSQL server of a connection: all its processes descend from the postmaster.
  static func postgres(_ connection: Connection) throws -> ProcessTree {
    let directory = try connection.run(Statement("benchmark-directory", "SHOW data_directory")).text(0, 0)
    let lines = TextFile.text(of: directory + "/postmaster.pid").split(separator: "\n")
    guard let process = lines.first.flatMap({ Int32($0) }) else {
      throw MeasuringError("\(directory)/postmaster.pid names no process")
    }
    return ProcessTree(root: process)
  }
}
