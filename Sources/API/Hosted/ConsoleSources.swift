internal import FoundationEssentials
internal import HTTPServer
internal import Reactor

/// Source files of the console on disk.
struct ConsoleSources {
  /// Maximum depth to which directories are searched.
  private static let depth = 3

  /// Stamps of the files, by full path; they differ if a file has changed.
  private(set) var stamps: [String: RegularFile.Stamp] = [:]
  private var paths: [String: String] = [:]
  private let directory: String

  /// Finds the files without reading them.
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

  /// HTML of the page; nil if the file does not exist.
  var index: String? { Self.read(directory + "/index.html").map { String(decoding: $0, as: UTF8.self) } }

  /// Content of the files, by path below `assets/`.
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

  /// Returns whether there is a regular file.
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
