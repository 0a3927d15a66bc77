/// Who may use whom. Arrows point down only; siblings never import each other.
///
/// This table is the architecture; `Package.swift` and every import must agree with it. To draw a new arrow, change it
/// here first, and be ready to say why the wall should move.
enum ModuleGraph {
  /// From the ground up: each module and the modules of the house it may import.
  static let allowed: [String: Set<String>] = [
    // Ground: system libraries.
    "CLinux": [], "CLibPQ": [], "CNGHTTP2": [], "COpenSSL": [], "CCMark": [], "CZLib": [],
    // Threads, loops, sockets, clocks.
    "Time": [],
    "Reactor": ["Time", "CLinux"],
    // Text from outside, pure.
    "PlainText": [],
    // JSON as bytes, pure.
    "JSON": ["PlainText"],
    // What a program counts about itself, pure.
    "Metrics": [],
    // Which distributed trace a piece of work belongs to, pure.
    "Tracing": ["Time"],
    // Digests, ciphers and signatures, pure.
    "Crypto": ["COpenSSL"],
    // Markdown to HTML, pure.
    "Markdown": ["CCMark"],
    // Compression of what is sent often, pure.
    "Gzip": ["CZLib"],
    // Technologies. They know nothing of pushes.
    "TLS": ["Crypto", "Reactor", "COpenSSL"],
    "HTTP2": ["TLS", "PlainText", "Reactor", "CNGHTTP2"],
    "HTTPServer": ["TLS", "Metrics", "Tracing", "PlainText", "Time", "Reactor"],
    "HTTPClient": ["TLS", "PlainText", "Reactor"],
    "Postgres": ["Time", "Reactor", "CLibPQ"],
    "EmbeddedPostgres": ["Postgres", "Reactor"],
    "OTLP": ["HTTPClient", "TLS", "JSON", "Metrics", "Tracing", "Time", "Reactor"],
    // What UPMC is about.
    "Domain": ["Time", "Crypto", "JSON", "PlainText"],
    "Store": ["Crypto", "Domain", "Gzip", "JSON", "Tracing", "Postgres", "Time", "Reactor"],
    "Operations": ["Crypto", "Domain", "JSON", "Store", "Tracing", "Postgres", "TLS", "Time", "Reactor"],
    // What the ways to all push networks have in common.
    "PushTransport": ["Domain", "HTTP2", "HTTPClient", "TLS", "Metrics", "Time", "Reactor"],
    // The API handlers and the engine.
    "APNs": ["Crypto", "PushTransport", "Domain", "JSON", "HTTP2", "TLS", "Time", "Reactor"],
    "FCM": ["PushTransport", "Domain", "JSON", "PlainText", "HTTP2", "HTTPClient", "TLS", "Time", "Reactor"],
    "Dispatcher": ["Domain", "JSON", "Store", "Postgres", "Metrics", "Tracing", "Time", "Reactor"],
    "WebhookDelivery": [
      "Crypto", "PushTransport", "Domain", "JSON", "Store", "Operations", "HTTPClient", "TLS", "Tracing", "Postgres",
      "Time", "Reactor",
    ],
    "API": [
      "Crypto", "Domain", "JSON", "PlainText", "Store", "Operations", "HTTPServer", "Postgres", "Metrics", "Tracing",
      "Time", "Reactor", "Markdown", "Gzip",
    ],
    // The client is independent: apps link it, and nothing of the server comes with it.
    "UPMCClient": [],
    "UPMCClientURLSession": ["UPMCClient"],
    "UPMCPushExtension": ["UPMCClient", "UPMCClientURLSession"],
    "UPMCPush": ["UPMCClient", "UPMCClientURLSession", "UPMCPushExtension"],
    "Simulator": [
      "UPMCClient", "Crypto", "Domain", "JSON", "HTTP2", "TLS", "HTTPClient", "HTTPServer", "Time", "Reactor",
    ],
    // Roof: wiring and programs.
    "Server": [
      "Crypto", "API", "Dispatcher", "WebhookDelivery", "APNs", "FCM", "PushTransport", "Simulator", "Operations",
      "Store",
      "HTTPServer", "HTTPClient", "TLS", "EmbeddedPostgres", "Postgres", "Metrics", "Tracing", "OTLP", "Time",
      "Reactor",
      "Domain", "JSON", "PlainText",
    ],
    // What an operator does beside serving.
    "Maintenance": [
      "Server", "Operations", "Store", "Domain", "JSON", "HTTPClient", "TLS", "Postgres", "Time", "Reactor",
    ],
    "upmc": [
      "Maintenance", "Server", "API", "Operations", "Store", "Domain", "JSON", "HTTPClient", "TLS", "Postgres",
      "Time", "Reactor",
    ],
    "upmc-simulator": ["Simulator", "TLS", "Reactor"],
  ]

  /// What comes with the toolchain or the system, and may be used anywhere, except where it would end a module's purity.
  static let system: Set<String> = ["Glibc", "Synchronization", "FoundationEssentials"]

  /// What apps link. They run on Apple's systems, so they may use what is there; and they are not among the server's threads.
  static let client: Set<String> = ["UPMCClient", "UPMCClientURLSession", "UPMCPushExtension", "UPMCPush"]

  /// What Apple's systems provide, and who may use it. `UPMCClient` uses Foundation only where FoundationEssentials is
  /// missing.
  static let apple: [String: Set<String>] = [
    "Darwin": ["UPMCClient"], "Musl": ["UPMCClient"], "Security": ["UPMCClient"],
    "Foundation": client, "FoundationNetworking": ["UPMCClientURLSession"],
    "UserNotifications": ["UPMCPush", "UPMCPushExtension"], "UserNotificationsUI": ["UPMCPushExtension"],
    "UIKit": ["UPMCPush", "UPMCPushExtension"],
  ]

  /// Modules of packages from outside, and who may use them.
  static let packages: [String: Set<String>] = [
    "ArgumentParser": ["upmc", "upmc-simulator"],
    "Logging": [
      "Operations", "PushTransport", "APNs", "FCM", "Dispatcher", "WebhookDelivery", "API", "OTLP", "Simulator",
      "Server", "upmc",
      "upmc-simulator",
    ],
    "HeapModule": ["Reactor", "Dispatcher", "Domain", "APNs", "FCM"],
    "DequeModule": [
      "Reactor", "HTTPServer", "HTTPClient", "Postgres", "HTTP2", "Store", "PushTransport", "Dispatcher", "API",
      "Simulator",
    ],
  ]

  /// Modules without I/O: bytes and values in, bytes and values out.
  static let pure: Set<String> = ["Crypto", "Domain", "JSON", "Markdown", "Metrics", "Time", "Tracing"]

  /// Why `module` may not import `imported`; nil when it may.
  static func objection(to imported: String, in module: String) -> String? {
    if imported == module { return nil }
    if allowed.keys.contains(imported) {
      let mine = allowed[module] ?? []
      return mine.contains(imported) ? nil : "may only import \(list(mine))"
    }
    if pure.contains(module), imported == "Glibc" { return "is pure: no system calls, no clock" }
    if system.contains(imported) { return nil }
    if let users = apple[imported], client.contains(module) {
      return users.contains(module) ? nil : "is not among the users of \(imported): \(list(users))"
    }
    guard let users = packages[imported] else { return "is not among the modules or packages of the house" }
    return users.contains(module) ? nil : "is not among the users of \(imported): \(list(users))"
  }

  static func list(_ names: Set<String>) -> String {
    names.isEmpty ? "nothing of the house" : names.sorted().joined(separator: ", ")
  }
}
