internal import Postgres
internal import Reactor
internal import Server
internal import TLS
internal import Time

/// The checks of `upmc doctor` for the machine and the files named in the configuration.
struct MachineChecks {
  private let configuration: Configuration
  private let clock: any Clock

  init(_ configuration: Configuration, clock: any Clock) {
    self.configuration = configuration
    self.clock = clock
  }

  func findings() -> [Finding] {
    var findings = [descriptors, Self.memory(MemoryLimit.bytes, configuration.listening)]
    if configuration.databaseURL == nil, let room = Self.room(configuration.dataDirectory) { findings.append(room) }
    if let trust { findings.append(trust) }
    return findings
  }

  private var descriptors: Finding {
    let limit = DescriptorLimit.raise()
    let wanted = max(Maintenance.Limits.descriptors, configuration.listening.connections)
    guard limit < Maintenance.Limits.descriptors else {
      if limit < wanted {
        return .warning(
          "open files", "ulimit -n", "\(limit) allowed: fewer than the \(wanted) of UPMC_MAX_CONNECTIONS",
          remedy: "Raise the limit (LimitNOFILE= of systemd, ulimits: of compose), or lower UPMC_MAX_CONNECTIONS.")
      }
      return .ok("open files", "ulimit -n", "\(limit) allowed")
    }
    return .failure(
      "open files", "ulimit -n", "only \(limit) allowed: each connection of a device is one",
      remedy: "Raise the limit (LimitNOFILE= of systemd, ulimits: of compose) to \(wanted + 1_024) or more.")
  }

  static func memory(_ bytes: Int, _ listening: Listening) -> Finding {
    let said = "\(bytes >> 20) MiB allowed"
    guard listening.fitting(bytes) < listening.connections else { return .ok("memory", "cgroup", said) }
    return .warning(
      "memory", "cgroup",
      "\(said): room for \(listening.fitting(bytes)) connections, fewer than the \(listening.connections) of UPMC_MAX_CONNECTIONS",
      remedy: "Raise the limit (MemoryMax= of systemd, mem_limit: of compose), or lower UPMC_MAX_CONNECTIONS.")
  }

  /// Checks the free space of a directory; nil if it cannot be determined.
  static func room(_ directory: String) -> Finding? {
    FileStatus.freeBytes(at: directory).map { room(directory, free: $0) }
  }

  static func room(_ directory: String, free: Int) -> Finding {
    let said = "\(free >> 20) MiB free"
    if free < Maintenance.Limits.leastRoomBytes {
      return .failure(
        "disk", directory, "\(said): when it is full the database stops taking requests",
        remedy: "Make room, or move it to a larger disk.")
    }
    if free < Maintenance.Limits.goodRoomBytes {
      return .warning("disk", directory, said, remedy: "Make room: it grows with every delivery.")
    }
    return .ok("disk", directory, said)
  }

  /// Formats a duration for people to read.
  static func days(_ seconds: Int64) -> String {
    let days = seconds / 86_400
    return days == 0 ? "a few hours" : days == 1 ? "a day" : "\(days) days"
  }

  /// Returns the finding about the remaining validity of a certificate or the like.
  static func expiry(_ end: Timestamp, _ subject: String, _ place: String, now: Timestamp, remedy: String) -> Finding {
    let days = (end - now).components.seconds / 86_400
    if end <= now { return .failure(subject, place, "ended \(-days) days ago", remedy: remedy) }
    if days < Maintenance.Limits.certificateDays {
      return .warning(subject, place, "ends in \(days) days", remedy: remedy)
    }
    return .ok(subject, place, "good for \(days) days")
  }

  /// Returns false if the file of certificate authorities cannot be used.
  static func trusts(_ file: String?) -> Bool {
    (try? TLSContext.client(trust: TLSContext.Trust(files: file.map { [$0] } ?? []))) != nil
  }

  private var trust: Finding? {
    guard let file = configuration.caFile else { return nil }
    do throws(TLSError) {
      _ = try TLSContext.client(trust: TLSContext.Trust(files: [file]))
      return .ok("trust anchors", file, "read")
    } catch {
      return .failure(
        "trust anchors", file, "\(error)", remedy: "UPMC_CA_FILE must name a PEM file that this user may read.")
    }
  }
}
