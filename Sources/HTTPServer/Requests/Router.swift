/// Maps paths to endpoints by a tree of path segments that is built once.
///
/// In a pattern such as `/v1/devices/{device}/groups/{groupSeq}`, a segment in braces matches any one non-empty
/// segment. A literal segment takes precedence over a parameter; if it leads to no route, the parameter is tried.
/// Literals are compared with the path as sent, so needlessly percent-encoded letters do not match; parameters are
/// decoded. HEAD uses the route for GET unless it has its own.
package struct Router<Endpoint> {
  package enum Match {
    case found(Endpoint, PathParameters)
    /// The path has routes, but none for this method. `allow` contains the methods for the `Allow` header, in
    /// alphabetical order.
    case methodNotAllowed(allow: [Method])
    case notFound
  }

  /// A route as listed in `routes`.
  package struct Route {
    package let method: Method
    package let pattern: String
    package let endpoint: Endpoint
  }

  private struct Leaf {
    let method: Method
    let endpoint: Endpoint
    let names: [String]
  }

  private struct Node {
    var literals: [(segment: [UInt8], node: Int)] = []
    var parameter: Int?
    var leaves: [Leaf] = []
  }

  /// All routes in the order in which they were added.
  package private(set) var routes: [Route] = []
  private var nodes = [Node()]

  package init() {}

  /// Adds a route. Traps if the pattern does not begin with a slash, the method is `other`, or the method has a route
  /// with this pattern already (whatever the names of its parameters).
  package mutating func add(_ method: Method, _ pattern: String, _ endpoint: Endpoint) {
    precondition(pattern.first == "/", "a pattern begins with a slash: \(pattern)")
    precondition(method != .other, "a route needs a known method: \(pattern)")
    var node = 0
    var names: [String] = []
    for segment in pattern.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
      if segment.first == "{", segment.last == "}" {
        names.append(String(segment.dropFirst().dropLast()))
        node = parameterChild(of: node)
      } else {
        node = literalChild(of: node, Array(segment.utf8))
      }
    }
    precondition(!nodes[node].leaves.contains { $0.method == method }, "two routes for \(method.rawValue) \(pattern)")
    nodes[node].leaves.append(Leaf(method: method, endpoint: endpoint, names: names))
    routes.append(Route(method: method, pattern: pattern, endpoint: endpoint))
  }

  private mutating func literalChild(of node: Int, _ segment: [UInt8]) -> Int {
    if let known = nodes[node].literals.first(where: { $0.segment == segment }) { return known.node }
    nodes.append(Node())
    nodes[node].literals.append((segment, nodes.count - 1))
    return nodes.count - 1
  }

  private mutating func parameterChild(of node: Int) -> Int {
    if let known = nodes[node].parameter { return known }
    nodes.append(Node())
    nodes[node].parameter = nodes.count - 1
    return nodes.count - 1
  }

  // MARK: Matching

  package func match(_ request: Request) -> Match {
    request.withPath { match(request.method, $0) }
  }

  /// Finds the endpoint of a request. A path with a parameter that cannot be decoded matches nothing.
  /// - Parameter path: the path, percent-encoded, without the query.
  package func match(_ method: Method, _ path: Span<UInt8>) -> Match {
    var search = Search(method: method)
    // An absolute-form target without a path means "/".
    if path.isEmpty {
      finish(nodes[literalChild(of: 0, path, 0, 0) ?? 0], path, &search)
    } else if path[0] == UInt8(ascii: "/") {
      visit(0, path, from: 1, &search)
    }
    if let (leaf, ranges) = search.found {
      let values = ranges.compactMap { FormDecoding.decode(path.extracting($0), plusIsSpace: false) }
      // A path with a parameter that cannot be decoded matches no route.
      guard values.count == ranges.count else { return .notFound }
      return .found(leaf.endpoint, PathParameters(names: leaf.names, values: values))
    }
    guard !search.allowed.isEmpty else { return .notFound }
    return .methodNotAllowed(allow: search.allowed.sorted { $0.rawValue < $1.rawValue })
  }

  private struct Search {
    let method: Method
    var ranges: [Range<Int>] = []
    var found: (Leaf, [Range<Int>])?
    var allowed: Set<Method> = []
  }

  /// Searches below a node for a route that matches the rest of the path, and records it in `search`; for nodes that
  /// match the path but not the method, records their methods.
  /// - Parameter start: index of the first byte of the segment to match.
  private func visit(_ node: Int, _ path: Span<UInt8>, from start: Int, _ search: inout Search) {
    var end = start
    while end < path.count, path[end] != UInt8(ascii: "/") { end += 1 }
    if let child = literalChild(of: node, path, start, end) { descend(child, path, end, &search) }
    if search.found == nil, end > start, let child = nodes[node].parameter {
      search.ranges.append(start..<end)
      descend(child, path, end, &search)
      search.ranges.removeLast()
    }
  }

  private func descend(_ node: Int, _ path: Span<UInt8>, _ end: Int, _ search: inout Search) {
    if end == path.count {
      finish(nodes[node], path, &search)
    } else {
      visit(node, path, from: end + 1, &search)
    }
  }

  private func finish(_ node: Node, _ path: Span<UInt8>, _ search: inout Search) {
    for leaf in node.leaves where leaf.method == search.method {
      search.found = (leaf, search.ranges)
      return
    }
    if search.method == .head, let leaf = node.leaves.first(where: { $0.method == .get }) {
      search.found = (leaf, search.ranges)
      return
    }
    for leaf in node.leaves {
      search.allowed.insert(leaf.method)
      if leaf.method == .get { search.allowed.insert(.head) }
    }
  }

  private func literalChild(of node: Int, _ path: Span<UInt8>, _ start: Int, _ end: Int) -> Int? {
    next: for (segment, child) in nodes[node].literals where segment.count == end - start {
      for offset in 0..<segment.count where segment[offset] != path[start + offset] { continue next }
      return child
    }
    return nil
  }
}

/// Values of a pattern's parameters, percent-decoded.
package struct PathParameters: Sendable {
  private let names: [String]
  private let values: [String]

  /// Those of a pattern without parameters.
  package static let none = PathParameters(names: [], values: [])

  package init(names: [String], values: [String]) {
    self.names = names
    self.values = values
  }

  package var count: Int { values.count }

  /// Value of a parameter. Traps if the pattern has none of this name.
  package subscript(_ name: String) -> String {
    guard let value = value(of: name) else { preconditionFailure("the pattern has no {\(name)}") }
    return value
  }

  /// Returns the value of a parameter; nil if the pattern has none of this name.
  package func value(of name: String) -> String? { names.firstIndex(of: name).map { values[$0] } }
}

extension Response {
  /// Returns a 405 whose `Allow` header lists the methods that the path supports (RFC 9110 §15.5.6).
  package static func methodNotAllowed(allow: [Method]) -> Response {
    let methods = allow.map(\.rawValue).joined(separator: ", ")
    return Response(status: .methodNotAllowed, headers: [("Allow", methods)])
  }
}
