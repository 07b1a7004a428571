import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { accessTokenCheck } from './access-tokens.mjs'
import { answerMemory } from './memory.mjs'

// The lower limit for the flows "in full". It answers the same number of requests with Node's own HTTP server. It runs
// the same number of statements, each of one row, with the same driver. It makes the signatures and decryptions that
// the standards demand, with the service's own functions. It does no routing, no decision, no validation, no logging
// and no composing of answers.
const dist = new URL(process.env.BENCH_DIST ?? '../../dist/server/', import.meta.url)
const of = (path) => import(new URL(path, dist).href)
const { createSigner, generateKeyPair, publicJwkOf, signCompact, verifyCompact } = await of('protocol/jose/jws.js')
const { ecdhEsEncryption } = await of('protocol/jose/ecdh-es.js')
const { decryptResponse, generateResponseKey } = await of('protocol/openid4vp/response-encryption.js')
const { sqlOver } = await of('database/sql.js')
const { statementNames } = await of('database/statement-names.js')

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 })
await pool.query(
  'CREATE TABLE floor (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, at timestamptz NOT NULL, body jsonb NOT NULL)',
)
const sql = sqlOver(pool, statementNames())
const shape = { parse: () => {} }
const BODY = JSON.stringify({ state: 'Active', claims: { level: 'gold' }, padding: 'x'.repeat(600) })

const { privateJwk, publicJwk } = await generateKeyPair('ES256')
const signer = await createSigner(privateJwk, 'did:example:issuer#key-1')
const claims = { iss: 'did:example:issuer', padding: 'x'.repeat(600) }
const jws = await signCompact(signer, { typ: 'JWT' }, claims)
const responseKey = generateResponseKey()
const encrypt = ecdhEsEncryption(publicJwkOf(responseKey), { enc: 'A128GCM', kid: responseKey.kid })
const jwe = encrypt(Buffer.from(JSON.stringify({ vp_token: { club: [jws] }, state: 'state' })))

const DO = {
  bearer: await accessTokenCheck(dist),
  sign: () => signCompact(signer, { typ: 'JWT' }, claims),
  verify: () => verifyCompact(jws, publicJwk),
  newKey: () => generateResponseKey(),
  decrypt: () => decryptResponse(jwe, responseKey),
  hash: () => createHash('sha256').update(BODY).digest('base64url'),
  read: () => sql(shape)`SELECT ${BODY}::jsonb AS body, ${'1'}::text AS id`,
  write: () => sql(shape)`INSERT INTO floor (at, body) VALUES (${new Date()}, ${BODY}) RETURNING id`,
}

/** For each request of a flow: the work that every implementation needs. */
const FLOWS = {
  // The requests in order: a new offer, the offer, both metadata, the token, the nonce, the credential.
  issuing: [
    ['bearer', 'read', 'write'],
    ['write'],
    ['read'],
    ['read'],
    ['write'],
    [],
    ['read', 'verify', 'sign', 'write'],
  ],
  // The requests in order: a new request, the request object, the answer, the claims.
  presenting: [
    ['bearer', 'newKey', 'read', 'write'],
    ['write', 'sign'],
    ['read', 'decrypt', 'verify', 'verify', 'hash', 'write'],
    ['bearer', 'read'],
  ],
}

const server = createServer(async (request, response) => {
  const [, flow, step] = request.url.split('/')
  if (flow === 'ready') return response.end()
  // Some requests have no body, as in the real flow.
  if (request.method === 'POST') JSON.parse(await text(request))
  for (const what of FLOWS[flow][Number(step)]) await DO[what]()
  const answer = JSON.stringify({ steps: FLOWS[flow].length, body: BODY })
  response
    .writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
    .end(answer)
})

answerMemory()
server.listen(Number(process.env.PORT), '127.0.0.1')
