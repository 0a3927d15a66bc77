/// Determines media types: of a file from its extension, and of a body from its Content-Type.
package enum ContentType {
  /// Returns the media type that a Content-Type header names, in lower case and without parameters; empty if there is no
  /// header.
  package static func mediaType(_ header: String?) -> String {
    guard let header else { return "" }
    var type = header.prefix { $0 != ";" }
    while type.first == " " || type.first == "\t" { type.removeFirst() }
    while type.last == " " || type.last == "\t" { type.removeLast() }
    return type.lowercased()
  }

  /// Returns the media type for a path or file name; `application/octet-stream` for an unknown extension, or none. The
  /// case of the extension does not matter.
  package static func of(path: String) -> String {
    let name = path.split(separator: "/").last ?? ""
    guard let dot = name.lastIndex(of: ".") else { return "application/octet-stream" }
    return switch name[name.index(after: dot)...].lowercased() {
    case "html", "htm": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js", "mjs": "text/javascript; charset=utf-8"
    case "json", "map": "application/json"
    case "webmanifest": "application/manifest+json"
    case "txt": "text/plain; charset=utf-8"
    case "md": "text/markdown; charset=utf-8"
    case "csv": "text/csv; charset=utf-8"
    case "xml": "application/xml"
    case "svg": "image/svg+xml"
    case "png": "image/png"
    case "jpg", "jpeg": "image/jpeg"
    case "gif": "image/gif"
    case "webp": "image/webp"
    case "ico": "image/vnd.microsoft.icon"
    case "woff": "font/woff"
    case "woff2": "font/woff2"
    case "pdf": "application/pdf"
    case "wasm": "application/wasm"
    case "yaml", "yml": "application/yaml"
    default: "application/octet-stream"
    }
  }
}
