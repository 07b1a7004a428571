const id = (kind: string) => `md5('${kind}' || n)::uuid::text`

/** The oldest nineteen rows of each table have a rare value. A search in the order of time finds these rows last. */
const RARE = 'n < 20'

/** Columns and values of names: half of the rows have the names `often`, and the rare rows have the names `rare`. */
const NAMES = 'reference_hash, label_hashes'
const NAMED = `CASE WHEN ${RARE} THEN 'rare' WHEN n % 2 = 0 THEN 'often' END,
         CASE WHEN ${RARE} THEN ARRAY['rare', 'rare ' || n] WHEN n % 2 = 0 THEN ARRAY['often', 'often ' || n] END`

/** A document that is about as long as a credential with ten claims. */
const VC = `json_build_object('type', json_build_array('VerifiableCredential'), 'proof', json_build_object('jws',
  (SELECT string_agg(md5(n::text || i), '') FROM generate_series(1, 30) AS i)))`

/**
 * Statements that fill the tables behind the API's lists. Each table gets `rows` rows, one for each second. Nearly all
 * rows are alike, except for a few old rows. The account must be a superuser, so that PostgreSQL does not check each
 * reference. The references are valid by construction.
 */
export function listFilling(rows: number): readonly string[] {
  const from = `FROM generate_series(1, ${rows}) AS n`
  const at = `now() - (${rows} - n) * interval '1 second'`
  return [
    "SET session_replication_role = 'replica'; SET synchronous_commit = off; SET jit = off",
    `INSERT INTO schemas (id, name, version, body, created_by, created_at)
       SELECT ${id('schema')}, 'Type_' || (n / 4), n, '{}', 'alice', ${at} ${from}`,
    `INSERT INTO credentials (id, schema_id, issuer_id, holder_did, vc, created_at, revoked_at, ${NAMES})
       SELECT ${id('credential')}, CASE WHEN ${RARE} THEN md5('schema1')::uuid::text ELSE md5('schema2000')::uuid::text END, 'issuer',
         CASE WHEN ${RARE} THEN 'did:example:rare' WHEN n % 2 = 0 THEN 'did:example:' || (n / 100) END, ${VC}, ${at},
         CASE WHEN ${RARE} THEN now() END, ${NAMED} ${from}`,
    `INSERT INTO redemptions (id, offering_id, credential_id, redeemed_at)
       SELECT ${id('redemption')}, CASE WHEN ${RARE} THEN 'rare' ELSE 'popular' END, ${id('credential')}, ${at} ${from}`,
    `INSERT INTO credential_instances (status_list_id, status_index, credential_id, configuration_id, format)
       SELECT 'list', n, ${id('credential')}, 'Type', 'dc+sd-jwt' ${from}`,
    `INSERT INTO offerings (id, schema_id, issuer_id, credential_subject, is_session, created_at, ${NAMES})
       SELECT ${id('offering')}, 'schema', 'issuer', '{}', true, ${at}, ${NAMED} ${from}`,
    `INSERT INTO credential_offer_sessions (id, created_by, state, deferred, first_view, expires_at, created_at)
       SELECT ${id('offering')}, 'alice', CASE WHEN ${RARE} THEN 'Accepted' ELSE 'CredentialIssued' END,
         CASE WHEN ${RARE} THEN 'pending' WHEN n % 2 = 0 THEN 'approved' END, '{}', now(), ${at} ${from}`,
    `INSERT INTO verification_sessions (id, request_id, verifier_id, client_id, key_id, kid, state, error_message, response_mode, first_view,
         dcql_query, created_at, expires_at, ended_at, ${NAMES})
       SELECT ${id('session')}, ${id('request')}, 'did:example:v', 'did:example:v', 'key', 'kid',
         CASE WHEN ${RARE} THEN 'ResponseVerified' ELSE 'Error' END, CASE WHEN ${RARE} THEN NULL ELSE 'It ran out.' END, 'direct_post',
         '{}', '{}', ${at}, now(), now(), ${NAMED} ${from}`,
    `INSERT INTO audit_events (at, actor, action, subject, subject_id)
       SELECT ${at}, CASE WHEN ${RARE} THEN 'rare' WHEN n % 3 = 0 THEN 'alice' END,
         CASE WHEN ${RARE} THEN 'schema.created' WHEN n % 2 = 0 THEN 'credential.issued' ELSE 'offering.created' END,
         CASE WHEN ${RARE} THEN 'schema' WHEN n % 2 = 0 THEN 'credential' ELSE 'offering' END, ${id('credential')} ${from}`,
    // These are unusually many records. Each record has a former signing key.
    `INSERT INTO keys (id, key_set_id, alg, public_jwk, private_jwk, created_at, retired_at)
       SELECT ${id('key')} || age, ${id('set')}, 'ES256', '{"kty":"EC","crv":"P-256"}', '{}', ${at} - age * interval '1 day',
         CASE WHEN age > 0 THEN ${at} END ${from}, generate_series(0, 1) AS age`,
    ...['issuer', 'verifier'].map(
      (record) =>
        `INSERT INTO ${record}s (id, method, did, key_set_id, display, created_by, created_at)
           SELECT ${id(record)}, 'key', 'did:key:' || n, ${id('set')}, '[{"name":"Of many"}]', 'alice', ${at} ${from}`,
    ),
    `INSERT INTO trusted_issuers (id, issuer, created_by, created_at)
       SELECT ${id('trusted')}, 'https://issuer.example/' || n, 'alice', ${at} ${from}`,
    'ANALYZE',
  ]
}
