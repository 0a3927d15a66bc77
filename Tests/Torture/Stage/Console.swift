import Foundation

/// Lines for whoever watches: standard error, so that the page alone is on standard output.
enum Console {
  static func say(_ line: String) {
    FileHandle.standardError.write(Data((line + "\n").utf8))
  }
}
