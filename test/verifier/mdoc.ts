import { afterAll, beforeAll, expect } from 'vitest'
import type { Jwk, Signer } from '../../server/protocol/jose/jws.js'
import type { MdocInput } from '../../server/protocol/mdoc/mdoc.js'
import { dcApiTranscript, presentMdoc, redirectTranscript } from '../../server/protocol/mdoc/mdoc.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { type Actor, DOCTYPE, issue, makeHolder, makeIssuer, NAMESPACE } from '../protocol/mdoc/actors.js'
import { type ServiceOptions, startService, type TestService } from '../support/service.js'
import { type Asked, answer, ask, fetchRequest, type RequestPayload, sessionOf } from './actors.js'
import { type AskedOverBrowser, credentialWith, parametersOf, postFrom, SHOP } from './browser.js'
import { anchorFiles, makeRoot, YEARS } from './certified.js'

export { DOCTYPE, NAMESPACE }

const HOUR = 3_600_000

/** A credential query for a driving licence. */
export const LICENCE = {
  id: 'licence',
  format: 'mso_mdoc',
  meta: { doctype_value: DOCTYPE },
  claims: [{ path: [NAMESPACE, 'family_name'], intent_to_retain: true }, { path: [NAMESPACE, 'birth_date'] }],
}

export const NAME_AND_BIRTH = [
  [NAMESPACE, 'family_name'],
  [NAMESPACE, 'birth_date'],
] as const

/** The beginning of the error message if a presentation for the query `LICENCE` is refused. */
export const FOR_LICENCE = 'Presentation for licence:'

/** Makes a driving licence that was signed an hour ago. */
export const licence = (issuer: Actor, holder: Signer, changes: Partial<MdocInput> = {}): Promise<string> =>
  issue(issuer, holder, {
    issuedAt: new Date(Date.now() - HOUR),
    expiresAt: new Date(Date.now() + 24 * HOUR),
    ...changes,
  })

/** Returns the key for the encrypted answer to a request, or undefined if the answer is not encrypted. */
const encryptionKeyOf = ({ response_mode: mode, client_metadata: metadata }: RequestPayload): Jwk | undefined =>
  mode.endsWith('.jwt') ? metadata.jwks?.keys[0] : undefined

/** Makes the session transcript for a request that is answered at `response_uri`. */
export const redirectOf = (payload: RequestPayload) => ({
  clientId: payload.client_id,
  nonce: payload.nonce,
  responseUri: payload.response_uri,
  encryptionKey: encryptionKeyOf(payload),
})

/** Makes the session transcript for a request over the Digital Credentials API. */
export const dcApiOf = (payload: RequestPayload, origin = SHOP) => ({
  origin,
  nonce: payload.nonce,
  encryptionKey: encryptionKeyOf(payload),
})

/** A verifier that trusts an authority of driving licences, for all tests of a file. */
export function useMdocVerifier(env: Readonly<Record<string, string>> = {}, options: ServiceOptions = {}) {
  let files: Awaited<ReturnType<typeof anchorFiles>>
  let service: TestService
  let authority: TestCertificate
  let issuer: Actor
  let holder: Signer
  let issued: string

  beforeAll(async () => {
    files = await anchorFiles()
    authority = makeRoot('C=DE/Authority of licences')
    issuer = await makeIssuer(authority, YEARS)
    holder = await makeHolder()
    issued = await licence(issuer, holder)
    service = await startService({
      ...options,
      env: {
        TRUST_ANCHORS: await files.write('licences', authority),
        TRUSTED_ISSUERS: 'self,x5c',
        OUTBOUND_ALLOWED_HOSTS: '127.0.0.1',
        ...env,
      },
    })
  })
  afterAll(async () => {
    await service.close()
    await files[Symbol.asyncDispose]()
  })

  return {
    get service() {
      return service
    },
    get authority() {
      return authority
    },
    get issuer() {
      return issuer
    },
    get holder() {
      return holder
    },
    get issued() {
      return issued
    },

    /** Makes a request, and fetches it as a wallet does. */
    async asked(query: object = LICENCE, body: Record<string, unknown> = {}) {
      const asked = await ask(service, {
        responseMode: 'direct_post',
        dcqlQuery: { credentials: [query] },
        ...body,
      })
      return { asked, payload: await fetchRequest(asked) }
    },

    /** A presentation for a request, with the parts that a test makes wrong. */
    present: (sessionTranscript: Uint8Array, changes: Partial<Parameters<typeof presentMdoc>[0]> = {}) =>
      presentMdoc({ issuerSigned: issued, disclose: NAME_AND_BIRTH, sessionTranscript, signer: holder, ...changes }),

    /** Answers a new request. Checks that the session has the same outcome. @returns the refusal; undefined if the answer was accepted. */
    async refusalOf(
      make: (payload: RequestPayload) => Promise<unknown>,
      { query = LICENCE, body = {} }: { query?: object; body?: Record<string, unknown> } = {},
    ): Promise<string | undefined> {
      const { asked, payload } = await this.asked(query, body)
      const reply = await answer(payload, { licence: [await make(payload)] })
      return this.saidOf(asked, reply)
    },

    /** Does the same as `refusalOf` for a request over the Digital Credentials API. */
    async refusalInBrowser(asked: AskedOverBrowser, make: (payload: RequestPayload) => Promise<unknown>) {
      const request = asked.digitalCredentialRequest
      const shown = await make(parametersOf(request))
      const credential = await credentialWith(request, { vp_token: { licence: [shown] } })
      return this.saidOf(asked, await postFrom(SHOP, asked, credential))
    },

    async saidOf(asked: Pick<Asked, 'verificationSessionId'>, reply: { status: number; json: Record<string, string> }) {
      const { state, errorMessage } = await sessionOf(service, asked)
      const { error, error_description: sentence } = reply.json
      expect([reply.status, error, state, errorMessage]).toEqual(
        reply.status === 200
          ? [200, undefined, 'ResponseVerified', undefined]
          : [400, 'invalid_request', 'Error', sentence],
      )
      return sentence
    },

    async resultOf({ verificationSessionId }: Pick<Asked, 'verificationSessionId'>) {
      const path = `/verification-sessions/${verificationSessionId}/result`
      return (await service.request('GET', path, { authorization: await service.bearer('verifier') })).json
    },

    redirect: (payload: RequestPayload) => redirectTranscript(redirectOf(payload)),
    dcApi: (payload: RequestPayload, origin?: string) => dcApiTranscript(dcApiOf(payload, origin)),
  }
}
