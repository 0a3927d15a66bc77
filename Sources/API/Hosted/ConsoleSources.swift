internal import FoundationEssentials
internal import HTTPServer
internal import Reactor

/// The console's files on disk, as found at one time: `index.html`, the files below `assets/`, and the modules of the
/// chart library. Files of more than `StaticFiles.Limits.cachedFileBytes` are left out.
struct ConsoleSources {
  /// Maximum number of directory levels that are searched, including `assets` itself.
  private static let depth = 3

  /// Stamps of the files, by full path, to detect changes: they differ if a file was changed, added or removed.
  private(set) var stamps: [String: RegularFile.Stamp] = [:]
  private var paths: [String: String] = [:]
  private let directory: String

  /// Finds the files, without reading their contents. A directory that does not exist counts as empty.
  /// - Parameters:
  ///   - directory: the console's directory.
  ///   - charts: directory of the chart library.
  static func find(in directory: String, charts: String) -> ConsoleSources {
    var sources = ConsoleSources(directory: directory)
    sources.note(directory + "/index.html", as: nil)
    sources.look(into: directory + "/assets", below: "", depth: depth)
    sources.note(charts + "/chart.mjs", as: "vendor/chart.js/chart.mjs")
    sources.look(into: charts + "/chunks", below: "vendor/chart.js/chunks/", depth: 1) { $0.hasSuffix(".mjs") }
    return sources
  }

  private init(directory: String) {
    self.directory = directory
  }

  /// The HTML of `index.html`, read at each access; nil if the file does not exist or cannot be read.
  var index: String? { Self.read(directory + "/index.html").map { String(decoding: $0, as: UTF8.self) } }

  /// The contents of the found files except `index.html`, by path below `assets/`, read at each access. Omits files
  /// that cannot be read any more.
  var contents: [String: [UInt8]] { paths.compactMapValues(Self.read) }

  private mutating func look(
    into path: String, below prefix: String, depth: Int, where isWanted: (String) -> Bool = { _ in true }
  ) {
    guard depth > 0 else { return }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    for name in names.sorted() where !name.hasPrefix(".") {
      if note(path + "/" + name, as: isWanted(name) ? prefix + name : nil) { continue }
      look(into: path + "/" + name, below: prefix + name + "/", depth: depth - 1, where: isWanted)
    }
  }

  /// Records the stamp of a file and, unless `name` is nil, the file itself under that path below `assets/`. A file
  /// that is too large is not recorded. Returns whether there is a regular file at the path.
  @discardableResult
  private mutating func note(_ path: String, as name: String?) -> Bool {
    guard let file = RegularFile.resolve(path).flatMap(RegularFile.open) else { return false }
    guard file.stamp.size <= StaticFiles.Limits.cachedFileBytes else { return true }
    stamps[path] = file.stamp
    if let name { paths[name] = path }
    return true
  }

  private static func read(_ path: String) -> [UInt8]? {
    RegularFile.resolve(path).flatMap(RegularFile.open)?.read()
  }
}
