import { createTRPCClient, httpBatchLink } from '@trpc/client'
import superjson from 'superjson'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CredenceClient, createCredenceClient } from '../../client/index.js'
import { signCompact } from '../../server/protocol/jose/jws.js'
import type { AppRouter } from '../../server/router.js'
import { CLIENT_SECRET, startService, type TestService } from '../support/service.js'
import { LOOPBACK } from '../support/wallet.js'
import { ForeignIssuer } from '../verifier/foreign-issuer.js'

/** Names of members that every JavaScript object has, or that libraries look for. */
const SUBJECT = {
  constructor: 'Atelier',
  prototype: { constructor: 'Prototype', prototype: [{ constructor: 1, prototype: null }] },
  toString: 'text',
  valueOf: 0,
  hasOwnProperty: true,
  toJSON: 'no function',
}

const SCHEMA = {
  type: 'object',
  properties: {
    constructor: { type: 'string', title: 'Constructor' },
    prototype: { type: 'object', properties: { constructor: { type: 'string' }, prototype: { type: 'array' } } },
    toString: { type: 'string' },
    valueOf: { type: 'number' },
    hasOwnProperty: { type: 'boolean' },
    toJSON: { type: 'string' },
  },
  required: ['constructor', 'prototype'],
  additionalProperties: false,
}

let service: TestService
let authorization: string
/** The project's client, with an access token and the client secret. */
let own: CredenceClient
/** The library's own client, set up as in its documentation. */
let plain: CredenceClient

beforeAll(async () => {
  service = await startService({ env: { ...LOOPBACK, TRUSTED_ISSUERS: '*' } })
  const accessToken = await service.identityProvider.token('root', { roles: ['admin'] })
  authorization = `Bearer ${accessToken}`
  own = createCredenceClient({ url: service.url, accessToken, clientSecret: CLIENT_SECRET })
  const headers = { authorization, 'x-client-secret': CLIENT_SECRET }
  plain = createTRPCClient<AppRouter>({
    links: [httpBatchLink({ url: `${service.url}/trpc`, transformer: superjson, headers: () => headers })],
  })
})
afterAll(() => service.close())

async function rest(method: string, path: string, body?: unknown) {
  const answer = await service.request(method, path, { authorization, client: true, ...(body ? { body } : {}) })
  expect([path, answer.status, answer.json?.message]).toEqual([path, expect.toBeOneOf([200, 201]), undefined])
  return answer.json
}

/** Compared as texts, because the test library would also compare the names of the objects' constructors. */
const text = (value: unknown) => JSON.stringify(value, undefined, 1)

/** Returns the answer to a query. Checks that the answer is the same over REST and for both typed clients. */
async function everywhere<Output>(path: string, query: (client: CredenceClient) => Promise<Output>): Promise<Output> {
  const [byPath, byOwn, byPlain] = await Promise.all([rest('GET', path), query(own), query(plain)])
  expect([byOwn, byPlain].map(text)).toEqual([byPath, byPath].map(text))
  return byOwn
}

/** Returns the events of a session up to the expected event, as JSON. */
async function firstEvent(subscribe: (onData: (data: unknown) => void) => { unsubscribe(): void }): Promise<unknown> {
  let subscription: { unsubscribe(): void } | undefined
  const data = await new Promise((resolve) => {
    subscription = subscribe(resolve)
  })
  subscription?.unsubscribe()
  return data
}

describe.each(['constructor', 'prototype'])('a credential of type %s', (type) => {
  let holder: { id: string; did?: string | undefined }
  let heldJwt: string

  it('has a schema', async () => {
    const made =
      type === 'prototype'
        ? await rest('POST', '/schemas', { name: type, version: 1, schema: SCHEMA })
        : await own.schemas.create.mutate({ name: type, version: 1, schema: SCHEMA })
    expect(made.schemaBody).toEqual(SCHEMA)

    const read = await everywhere(`/schemas/${made.id}`, ({ schemas }) => schemas.read.query({ schemaId: made.id }))
    expect(read.schemaBody).toEqual(SCHEMA)
    await everywhere(`/schemas/${type}/versions`, ({ schemas }) => schemas.versions.query({ schemaId: type }))
    await everywhere(`/api/v1/schemas/${made.id}`, ({ schemas }) => schemas.publicSchema.query({ id: made.id }))
    const { claims } = await everywhere(`/vct/${type}`, ({ schemas }) => schemas.typeMetadata.query({ name: type }))
    expect(claims.map(({ path }) => path.join('.'))).toEqual(expect.arrayContaining(['constructor', 'prototype']))
    const metadata = await rest('GET', '/.well-known/openid-credential-issuer')
    expect(Object.keys(metadata.credential_configurations_supported)).toContain(type)
  })

  it('is offered and claimed', async () => {
    const offer = { credential_type: type, credential_subject: SUBJECT }
    const made =
      type === 'prototype' ? await rest('POST', '/api/v1/offerings', offer) : await own.offerings.create.mutate(offer)
    expect(made.credential_subject).toEqual(SUBJECT)
    const claimed = await plain.offerings.claim.mutate({ id: made.id })
    expect(claimed.vc.credentialSubject).toMatchObject(SUBJECT)

    await everywhere(`/api/v1/offerings/${made.id}`, ({ offerings }) => offerings.read.query({ id: made.id }))
    const listed = await everywhere('/api/v1/offerings', ({ offerings }) => offerings.list.query())
    const [redemption] = listed.find(({ id }) => id === made.id)?.redemptions ?? []
    expect(redemption?.credential.vc.credentialSubject).toMatchObject(SUBJECT)
    const { vc } = await everywhere(`/api/v1/credentials/${claimed.id}`, ({ credentials }) =>
      credentials.read.query({ id: claimed.id }),
    )
    expect(vc.credentialSubject).toMatchObject(SUBJECT)
  })

  it.each(['jwt_vc_json', 'dc+sd-jwt'] as const)('is signed and verified as %s', async (format) => {
    await own.credentials.create.mutate({ type, credential_subject: SUBJECT })
    const { credential } = await own.credentials.sign.mutate({ type, credential_subject: SUBJECT, format })
    const results = await Promise.all([
      rest('POST', '/credentials/verify', { credential }),
      own.verify.verify.mutate({ credential }),
      plain.verify.verify.mutate({ credential }),
    ])
    const claims =
      format === 'dc+sd-jwt' ? { prettyClaims: SUBJECT } : { payload: { vc: { credentialSubject: SUBJECT } } }
    expect(results[0]).toMatchObject({ isValid: true, ...claims })
    expect(results.map(text)).toEqual([results[0], results[0], results[0]].map(text))
  })

  it('is taken into a hosted wallet by a flow', async () => {
    holder = await own.agentHolders.create.mutate({ method: 'key' })
    const offer = { credential_type: type, credential_subject: SUBJECT }
    const { offering_full_url: qrContent } = await own.offerings.create.mutate(offer)
    const did = holder.did ?? ''
    for (const client of [own, plain]) {
      const { flowType, data } = await client.flows.start.mutate({ qrContent, did })
      expect([flowType, data]).toMatchObject(['claim', { offering: { credential_subject: SUBJECT } }])
    }
    const { data } = await rest('POST', '/flows', { qrContent, did })
    expect(data.offering).toEqual(offer)
    const confirmed = await own.flows.confirm.mutate({
      processId: data.processId,
      type: 'claim',
      selectedCredential: SUBJECT,
    })
    expect(confirmed.status).toBe('confirmed')
    const path = `/holders/${holder.id}/credentials`
    const held = await everywhere(path, ({ walletCredentials }) =>
      walletCredentials.list.query({ holderId: holder.id }),
    )
    expect(held.map(({ format }) => format).sort()).toEqual(['dc+sd-jwt', 'jwt_vc_json'])
    for (const { id, format } of held) {
      const { claims } = await everywhere(`${path}/${id}`, ({ walletCredentials }) =>
        walletCredentials.read.query({ holderId: holder.id, credentialId: id }),
      )
      expect(format === 'jwt_vc_json' ? claims.credentialSubject : claims).toMatchObject(SUBJECT)
      if (format === 'jwt_vc_json') heldJwt = id
    }
  })

  it.each(['jwt_vc_json', 'dc+sd-jwt'] as const)('is requested, presented and shown as %s', async (format) => {
    const jwt = format === 'jwt_vc_json'
    const claims = [{ path: jwt ? ['credentialSubject', 'constructor'] : ['constructor'] }]
    const withPrototype = [...claims, { path: jwt ? ['credentialSubject', 'prototype'] : ['prototype'] }]
    const meta = jwt ? { type_values: [[type]] } : { vct_values: [`${service.url}/vct/${type}`] }
    const credentials = [{ id: 'constructor', format, meta, claims: withPrototype }]
    const asked = await own.authorizationRequests.create.mutate({ dcqlQuery: { credentials } as never })
    const processed = await own.holders.process.mutate({ holderId: holder.id, uri: asked.authorizationRequestUri })
    expect(processed.type).toBe('authorization_request')

    const sessionId = asked.verificationSessionId
    const result = await everywhere(`/verification-sessions/${sessionId}/result`, ({ verificationSessions }) =>
      verificationSessions.result.query({ sessionId }),
    )
    expect(result.credentials).toMatchObject([
      { credentialQueryId: 'constructor', claims: { constructor: SUBJECT.constructor, prototype: SUBJECT.prototype } },
    ])
    const session = await everywhere(`/verification-sessions/${sessionId}`, ({ verificationSessions }) =>
      verificationSessions.read.query({ sessionId }),
    )
    const event = await firstEvent((onData) =>
      own.verificationSessions.events.subscribe({ sessionId }, { onData: ({ data }) => onData(data) }),
    )
    expect(event).toEqual(session)
  })

  it('is asked for by a stored query, and chosen in a flow', async () => {
    const filter = {
      type: 'object' as const,
      properties: { constructor: { const: 'Prototype' } },
      required: ['constructor'],
    }
    const query = [
      {
        fields: [
          { path: ['$.type'], filter: { contains: { const: type } } },
          { path: ['$.credentialSubject.prototype'], filter },
          { path: ['$.credentialSubject.constructor'] },
        ],
      },
    ]
    const { id } = await own.vpQueries.create.mutate({ query })
    const stored = await everywhere(`/api/v1/verifier/vp-queries/${id}`, ({ vpQueries }) =>
      vpQueries.read.query({ id }),
    )
    expect(stored.queryBody).toEqual(query)
    await everywhere('/api/v1/verifier/vp-queries', ({ vpQueries }) => vpQueries.list.query())

    const redirect_uri = 'https://shop.example/done'
    const asked = await own.vpQueries.authorizationRequest.mutate({ id, redirect_uri })
    const did = holder.did ?? ''
    const started = await plain.flows.start.mutate({ qrContent: asked.authorizationRequestUri, did })
    if (started.flowType !== 'presentation') throw new Error(started.flowType)
    const chosen = started.data.matchingCredentials.find((each) => each.id === heldJwt)
    expect(chosen?.credentialSubject).toMatchObject(SUBJECT)
    const { processId } = started.data
    const confirmed = await own.flows.confirm.mutate({
      processId,
      type: 'presentation',
      selectedCredential: { ...chosen },
    })
    expect(confirmed.status).toBe('confirmed')
    await everywhere(`/holders/${holder.id}/presentations`, ({ walletPresentations }) =>
      walletPresentations.list.query({ holderId: holder.id }),
    )
    const sessionId = asked.verificationSessionId
    const { credentials } = await everywhere(`/verification-sessions/${sessionId}/result`, (client) =>
      client.verificationSessions.result.query({ sessionId }),
    )
    expect(credentials[0]?.claims).toMatchObject(SUBJECT)
  })

  it('is offered to one wallet, as a session', async () => {
    const credentialConfigurationIds = [type, `${type}-sd-jwt`]
    const made = await own.credentialOffers.create.mutate({ credentialConfigurationIds, credentialSubject: SUBJECT })
    const id = made.credentialOfferSessionId
    const session = await everywhere(`/credential-offer-sessions/${id}`, ({ credentialOffers }) =>
      credentialOffers.session.query({ id }),
    )
    expect(session.credentialConfigurationIds).toEqual(credentialConfigurationIds)
    const event = await firstEvent((onData) =>
      own.credentialOffers.events.subscribe({ id }, { onData: ({ data }) => onData(data) }),
    )
    const { createdBy: _, ...known } = session
    expect(event).toEqual(known)
    const taken = await own.holders.process.mutate({ holderId: holder.id, uri: made.credentialOfferUri })
    expect(taken.type).toBe('credential_offer')
  })
})

describe('a foreign credential with a claim __proto__', () => {
  it('is verified over REST and /trpc, and changes no prototype', async () => {
    const issuer = await ForeignIssuer.didJwk()
    const credentialSubject = JSON.parse(
      '{"__proto__":{"admin":true},"a":{"__proto__":{"admin":true}},"constructor":"x"}',
    )
    const vc = { type: ['VerifiableCredential', 'Membership'], credentialSubject }
    const credential = await signCompact(issuer.signer, { typ: 'JWT' }, { iss: issuer.id, nbf: 1, vc })

    const byPath = await rest('POST', '/credentials/verify', { credential })
    expect(byPath).toMatchObject({ isValid: true, payload: { vc: { credentialSubject: { constructor: 'x' } } } })
    for (const client of [own, plain]) {
      const result = await client.verify.verify.mutate({ credential })
      expect(result).toMatchObject({ isValid: true, payload: { vc: { credentialSubject: { constructor: 'x' } } } })
      const { payload } = result as unknown as {
        payload: { vc: { credentialSubject: { admin?: true; a: { admin?: true } } } }
      }
      expect([payload.vc.credentialSubject.admin, payload.vc.credentialSubject.a.admin]).toEqual([undefined, undefined])
    }
    expect(({} as { admin?: true }).admin).toBeUndefined()
  })
})

describe('bytes', () => {
  it('reach a typed client as bytes', async () => {
    await own.schemas.create.mutate({ name: 'Image', version: 1, schema: { type: 'object' } })
    const query = [{ fields: [{ path: ['$.a'] }] }]
    const { qr_code_url: url = '' } = await own.authorizationRequests.create.mutate({ query })
    for (const client of [own, plain]) {
      const image = await client.qrCodes.image.query({ url })
      expect([image instanceof Uint8Array, Buffer.from(image).subarray(1, 4).toString()]).toEqual([true, 'PNG'])
    }
  })
})
