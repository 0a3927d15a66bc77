internal import Reactor
internal import Postgres

/// The settings of the private database: PostgreSQL's default durability, and memory in proportion to the machine's.
struct Settings: Equatable {
  /// The machine's resources, from which the settings are computed.
  struct Machine: Equatable {
    /// The memory in bytes that this process and its children may use.
    var memoryBytes: Int
    /// The free space in bytes on the cluster's file system.
    var diskBytes: Int
  }

  let sharedBuffersMegabytes: Int
  let effectiveCacheMegabytes: Int
  let maintenanceMegabytes: Int
  let maximumLogMegabytes: Int
  let minimumLogMegabytes: Int

  init(machine: Machine) {
    let memory = machine.memoryBytes >> 20
    // An eighth leaves memory for upmc and the page cache; beyond 1 GB, measured batches gained nothing.
    sharedBuffersMegabytes = (memory / 8).clamped(32, 1024)
    effectiveCacheMegabytes = (memory / 2).clamped(128, 1 << 20)
    maintenanceMegabytes = (memory / 32).clamped(32, 512)
    // After each checkpoint, every changed page is logged in full once, so rare checkpoints halve the log; but the log
    // must never fill the disk.
    maximumLogMegabytes = ((machine.diskBytes >> 20) / 8).clamped(128, 8192)
    minimumLogMegabytes = (maximumLogMegabytes / 8).clamped(80, 1024)
  }

  /// The contents of `upmc.conf`.
  var text: String {
    """
    # Written by upmc at every start; changes belong into postgresql.conf, below the line that includes this file.
    fsync = on
    synchronous_commit = on
    full_page_writes = on
    shared_buffers = \(sharedBuffersMegabytes)MB
    effective_cache_size = \(effectiveCacheMegabytes)MB
    maintenance_work_mem = \(maintenanceMegabytes)MB
    work_mem = 16MB
    max_wal_size = \(maximumLogMegabytes)MB
    min_wal_size = \(minimumLogMegabytes)MB
    checkpoint_timeout = 15min
    max_connections = 100
    jit = off
    random_page_cost = 1.1
    timezone = 'UTC'
    log_timezone = 'UTC'
    log_line_prefix = '%m [%p] '
    log_checkpoints = off
    cluster_name = 'upmc'

    """
  }
}

extension Settings.Machine {
  /// Reads the resources of this machine.
  static func read(diskOf path: String) -> Settings.Machine {
    Settings.Machine(memoryBytes: MemoryLimit.bytes, diskBytes: FileStatus.freeBytes(at: path) ?? 1 << 30)
  }
}

extension Int {
  fileprivate func clamped(_ lowest: Int, _ highest: Int) -> Int { Swift.min(Swift.max(self, lowest), highest) }
}
