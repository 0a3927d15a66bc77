import Postgres
import TestSupport
import Testing

@testable import Dispatcher
@testable import Domain

/// What a network grants to all nodes together is shared by those that live, and by nobody else.
@Suite struct ShareTests {
  @Test func `every node hears how many live, before it sends anything`() throws {
    let world = try DispatcherWorld()
    _ = try poll("the first node was not told that it is alone") { world.network.nodes == 1 ? true : nil }
    // One that died without a word long ago, and one that did so just now.
    try world.connection.script(
      """
      INSERT INTO nodes (node, alive_until) VALUES
        ('00000000-0000-0000-0000-0000000000fd', now() - interval '1 minute'),
        ('00000000-0000-0000-0000-0000000000fe', now() + interval '1 hour')
      """)
    let second = try world.addNode { _, _, _ in .accepted }
    _ = try poll("not both were told") { world.network.nodes == 3 && second.nodes == 3 ? true : nil }
    try world.connection.script(
      "UPDATE nodes SET alive_until = now() - interval '1 second' WHERE node::text LIKE '%fe'")
    _ = try poll("not both were told of its end") {
      world.network.nodes == 2 && second.nodes == 2 ? true : nil
    }
  }

  @Test func `a node that was forgotten because it was away for long reports again what it is`() throws {
    let world = try DispatcherWorld()
    let described = "nodes WHERE host IS NOT NULL AND settings IS NOT NULL"
    _ = try poll("the node does not describe itself") { try world.count(described) == 1 ? true : nil }
    try world.connection.script("DELETE FROM nodes")
    _ = try poll("the node does not describe itself again") { try world.count(described) == 1 ? true : nil }
  }
}
