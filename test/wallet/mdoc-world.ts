import { expect } from 'vitest'
import { readMdoc } from '../../server/protocol/mdoc/mdoc.js'
import { certificateFiles, leafOf } from '../agent/certified.js'
import { CLAIMS, DOCTYPE, LICENCE, licenceSchema, MDOC, MORE, NAMESPACE } from '../issuer/openid4vci/mdoc-actors.js'
import type { TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { type Actor, issue, makeIssuer } from '../protocol/mdoc/actors.js'
import { query } from '../support/postgres.js'
import { type Answer, startService, type TestService } from '../support/service.js'
import { type HostedWallet, LOOPBACK, newWallet } from '../support/wallet.js'
import { anchorFiles, makeRoot, YEARS } from '../verifier/certified.js'

export { CLAIMS, DOCTYPE, LICENCE, MDOC, MORE, NAMESPACE }

const HOUR = 3_600_000

/** Two installations under the same root. One hosts wallets, the other issues and verifies driving licences. */
export interface MdocWorld {
  /** The installation that hosts wallets. It trusts the root. */
  readonly a: TestService
  /** The installation that issues under the root and verifies. It has a separate database. */
  readonly b: TestService
  readonly root: TestCertificate
  /** The file with the root, for TRUST_ANCHORS. */
  readonly rootFile: string
  /** A different issuer under the root. */
  readonly issuer: Actor
  /** Makes an offer of the other installation, by default in all formats. */
  offer(members?: Readonly<Record<string, unknown>>): Promise<Answer['json']>
  /** Makes a wallet, and lets it take an offer. */
  holding(members?: Readonly<Record<string, unknown>>, more?: Readonly<Record<string, unknown>>): Promise<HostedWallet>
  /** Decides about a deferred offer. */
  decide(offered: Answer['json'], decision: 'approve' | 'reject'): Promise<Answer>
  /** Revokes the mobile document of a wallet that has one credential. */
  revoke(wallet: HostedWallet): Promise<void>
  close(): Promise<void>
}

export async function makeMdocWorld(): Promise<MdocWorld> {
  const root = makeRoot('C=DE/Licences')
  const anchors = await anchorFiles()
  const files = await certificateFiles()
  const leaf = leafOf({
    issuer: root,
    subject: 'C=DE/Issuer',
    dns: ['127.0.0.1'],
    purposes: ['1.0.18013.5.1.2'],
    extensions: [{ id: '551d23', critical: false, value: '300680040a0a0a0a' }],
  })
  const TRUST_ANCHORS = await anchors.write('licences', root)
  const a = await startService({ env: { ...LOOPBACK, TRUST_ANCHORS }, maintenance: false })
  const b = await startService({
    env: {
      ...LOOPBACK,
      TRUST_ANCHORS,
      TRUSTED_ISSUERS: 'self,x5c',
      ISSUER_X509: await files.fileOf([leaf, root]),
    },
    maintenance: false,
  })
  const authorization = await b.bearer('issuer')
  const posted = await b.request('POST', '/schemas', { authorization, body: licenceSchema() })
  expect(posted.status, posted.text).toBe(201)

  const world: MdocWorld = {
    a,
    b,
    root,
    rootFile: TRUST_ANCHORS,
    issuer: await makeIssuer(root, YEARS),
    async offer(members = {}) {
      const body = {
        credentialConfigurationIds: [LICENCE, `${LICENCE}-sd-jwt`, MDOC],
        credentialSubject: CLAIMS,
        ...members,
      }
      const answer = await b.request('POST', '/credential-offers', { authorization, body })
      expect(answer.status, answer.text).toBe(201)
      return answer.json
    },
    async holding(members = { credentialConfigurationIds: [MDOC] }, more = {}) {
      const wallet = await newWallet(a)
      const taken = await wallet.process((await world.offer(members)).credentialOfferUri, more)
      expect(taken.status, taken.text).toBe(200)
      return wallet
    },
    decide: ({ credentialOfferSessionId: id }, decision) =>
      b.request('POST', `/credential-offer-sessions/${id}/${decision}`, { authorization, body: {} }),
    async revoke(wallet) {
      const [{ id }] = (await wallet.get('/credentials')).json
      const { status } = readMdoc((await wallet.get(`/credentials/${id}`)).json.credential)
      const [row] = await query<{ credential_id: string }>(
        b.databaseUrl,
        'SELECT credential_id FROM credential_instances WHERE status_list_id = $1 AND status_index = $2',
        [status?.uri.split('/').at(-1), status?.idx],
      )
      const revoked = await b.request('POST', `/api/v1/credentials/${row?.credential_id}/revoke`, { client: true })
      expect(revoked.status, revoked.text).toBe(200)
    },
    async close() {
      await a.close()
      await b.close()
      await files.remove()
      await anchors[Symbol.asyncDispose]()
    },
  }
  return world
}

/** A driving licence that was signed an hour ago, for the holder of a key. */
export const licenceFor = (
  issuer: Actor,
  publicJwk: object,
  changes: Parameters<typeof issue>[2] = {},
): Promise<string> =>
  issue(issuer, { publicJwk } as Parameters<typeof issue>[1], {
    issuedAt: new Date(Date.now() - HOUR),
    expiresAt: new Date(Date.now() + 24 * HOUR),
    ...changes,
  })
