/// A backup that is read slowly, as far as others notice it.
package enum RunningBackup {
  /// What `pg_dump` holds from its first moment to its last: a transaction to be left open.
  package static let script = """
    BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY;
    SELECT count(*) FROM messages;
    DO $$ DECLARE t text; BEGIN
      FOR t IN SELECT oid::regclass::text FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = 'public'::regnamespace
      LOOP EXECUTE 'LOCK TABLE ONLY ' || t || ' IN ACCESS SHARE MODE'; END LOOP;
    END $$
    """
}
