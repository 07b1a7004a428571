import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { postSchema, SUBJECT } from '../../issuer/purchase.js'
import { query } from '../../support/postgres.js'
import { type Answer, startService, type TestService } from '../../support/service.js'
import { pemOf, readRequest } from '../authority.js'
import { HTTPS, leafOf, root } from '../certified.js'
import { authorityOf, opensslVerify, partsOf } from '../delegated.js'

let service: TestService
let admin: string
beforeAll(async () => {
  service = await startService({ env: { ...HTTPS, ISSUER_ROLE: 'issuing', VERIFIER_ROLE: 'verifying' } })
  admin = await service.bearer('ada', { roles: ['admin', 'issuing'] })
})
afterAll(() => service.close())

async function newIssuer(members: object = {}): Promise<string> {
  const body = { method: 'web', ...members }
  const answer = await service.request('POST', '/agent/issuer', { authorization: admin, body })
  expect(answer.status, answer.text).toBe(201)
  return answer.json.id
}

/** The key of an issuer as an authority reads it from the certificate request. */
async function keyPairOf(id: string) {
  const path = `/agent/issuer/${id}/certificate-request`
  const { json } = await service.request('GET', path, { authorization: admin })
  return { publicKey: readRequest(json.certificateRequest).publicKey, privateKey: root.privateKey }
}

/** Everything that an attack on an issuer could change. */
const stored = (id: string) =>
  query(
    service.databaseUrl,
    `SELECT i.did, i.signing, k.id, k.x5c, k.retired_at, (SELECT count(*)::int FROM audit_events WHERE subject_id IN (i.id, k.id)) AS events
     FROM issuers i JOIN keys k USING (key_set_id) WHERE i.id = $1 ORDER BY k.id`,
    [id],
  )

describe('attack: the certificate and the signing of an issuer are changed by', () => {
  const attackers: readonly (readonly [string, () => Promise<object>, number])[] = [
    [
      'an admin with a record of its own',
      async () => ({ authorization: await service.bearer('bob', { roles: ['admin'] }) }),
      500,
    ],
    [
      'an operator with the `sub` of the record',
      async () => ({ authorization: await service.bearer('ada', { roles: ['issuing', 'verifying'] }) }),
      403,
    ],
    ['the client secret', async () => ({ client: true }), 401],
    ['a stranger', async () => ({}), 401],
  ]

  it.each(attackers)('%s: refused, and nothing is written', async (_, credentials, status) => {
    const id = await newIssuer()
    const keyPair = await keyPairOf(id)
    const before = await stored(id)
    const by = await credentials()
    const path = `/agent/issuer/${id}`
    const answers: Answer[] = [
      await service.request('GET', `${path}/certificate-request?signing=delegated`, by),
      await service.request('POST', `${path}/certificate`, {
        ...by,
        body: { chain: pemOf(leafOf({ issuer: root, keyPair })) },
      }),
      await service.request('POST', `${path}/certificate`, {
        ...by,
        body: { chain: pemOf(authorityOf({ keyPair })), signing: 'delegated' },
      }),
      await service.request('POST', `${path}/signing`, { ...by, body: { signing: 'delegated' } }),
    ]
    expect(answers.map((each) => each.status)).toEqual([status, status, status, status])
    for (const { text } of answers) expect(text).not.toContain('CERTIFICATE')
    expect(await stored(id)).toEqual(before)
  })
})

describe.each(['every', 'delegated'] as const)('rotations while an issuer with signing %s issues', (signing) => {
  it('fail no credential, and each credential is valid with the key that signed it', async () => {
    const { name: type } = await postSchema(service, admin)
    const id = await newIssuer({ signing })
    const keyPair = await keyPairOf(id)
    const certificate = signing === 'every' ? leafOf({ issuer: root, keyPair }) : authorityOf({ keyPair })
    const certified = await service.request('POST', `/agent/issuer/${id}/certificate`, {
      authorization: admin,
      body: { chain: pemOf(certificate) },
    })
    expect(certified.status, certified.text).toBe(200)
    const body = { type, credential_subject: SUBJECT, format: 'dc+sd-jwt', issuerId: id }
    const sign = () => service.request('POST', '/credentials/sign', { authorization: admin, body })
    const rotate = () => service.request('POST', `/api/v1/issuers/${id}/rotate`, { authorization: admin, body: {} })
    const first = await sign()
    const issuing = Promise.all(
      Array.from({ length: 4 }, async () => {
        const made: Answer[] = []
        for (let at = 0; at < 5; at += 1) made.push(await sign())
        return made
      }),
    )
    const rotations = await Promise.all([rotate(), rotate()])
    const answers = [first, ...(await issuing).flat(), await sign()]
    expect(
      [...new Set(rotations.map(({ status }) => status))].filter((status) => ![201, 409].includes(status)),
    ).toEqual([])
    expect(rotations.some(({ status }) => status === 201)).toBe(true)
    expect(answers.map(({ status, text }) => (status === 201 ? 201 : text))).toEqual(answers.map(() => 201))
    for (const { json } of answers) {
      const { chain } = partsOf(json.credential)
      if (chain.length > 0) expect(await opensslVerify(chain, root.certificate)).toContain('OK')
      const verified = await service.request('POST', '/credentials/verify', {
        authorization: admin,
        body: { credential: json.credential },
      })
      expect([chain.length, verified.json.isValid]).toEqual([chain.length, true])
    }
    // The certificate stays with the former key: the next credential names the DID of the record.
    expect(partsOf(first.json.credential).chain.length).toBeGreaterThan(0)
    expect(partsOf(answers.at(-1)?.json.credential).chain).toEqual([])
  })
})
