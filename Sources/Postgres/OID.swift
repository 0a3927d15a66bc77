/// Object identifier of a PostgreSQL type. Those of built-in types never change. Source: `pg_type.dat`.
package struct OID: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let bool = OID(rawValue: 16)
  package static let bytea = OID(rawValue: 17)
  package static let name = OID(rawValue: 19)
  package static let int8 = OID(rawValue: 20)
  package static let int2 = OID(rawValue: 21)
  package static let int4 = OID(rawValue: 23)
  package static let text = OID(rawValue: 25)
  package static let oid = OID(rawValue: 26)
  package static let json = OID(rawValue: 114)
  package static let float8 = OID(rawValue: 701)
  package static let timestamptz = OID(rawValue: 1184)
  package static let uuid = OID(rawValue: 2950)
  package static let jsonb = OID(rawValue: 3802)

  package static let boolArray = OID(rawValue: 1000)
  package static let byteaArray = OID(rawValue: 1001)
  package static let int2Array = OID(rawValue: 1005)
  package static let int4Array = OID(rawValue: 1007)
  package static let textArray = OID(rawValue: 1009)
  package static let int8Array = OID(rawValue: 1016)
  package static let timestamptzArray = OID(rawValue: 1185)
  package static let uuidArray = OID(rawValue: 2951)
  package static let jsonbArray = OID(rawValue: 3807)
}
