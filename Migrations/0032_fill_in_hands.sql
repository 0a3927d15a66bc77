-- Why: whose hands accounts and keys came from is known from the audit log, for those that were made before it was kept.
-- Locks: rows of api_keys alone; the audit log is read once.
-- The previous binary: works.
-- upmc:oldest-program 0011

INSERT INTO account_hands (account, hand, at, made)
SELECT c.account, 'account ' || l.account, l.at, l.action = 'account.create'
FROM audit_log l JOIN accounts c ON c.login = l.object
WHERE l.action IN ('account.create', 'account.link') AND l.account IS NOT NULL;

UPDATE api_keys k SET made_by = 'account ' || l.account
FROM audit_log l WHERE l.action = 'api-key.create' AND l.object = k.api_key::text AND l.account IS NOT NULL;
