import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ES256 } from '@owf/crypto'
import { createLoTE, service as owfService, signLoTE, trustedEntity } from '@owf/eudi-lote'
import { afterAll } from 'vitest'
import { makeCertificate, type TestCertificate } from '../protocol/issuer-keys/certificates.js'
import { ISSUANCE, LIST_SIGNING, PID_LIST, REVOCATION, sha256Of } from '../protocol/trust-lists/world.js'
import type { TestService } from '../support/service.js'
import type { WalletActor } from '../support/wallet-actor.js'
import { answer, ask, fetchRequest, present } from '../verifier/actors.js'
import { MEMBERSHIP, YEARS } from '../verifier/certified.js'

/** Makes the certificate of somebody who signs lists. */
export const makeOperator = (): TestCertificate =>
  makeCertificate({ subject: 'C=EU/Operator', keyUsage: 0x80, purposes: [LIST_SIGNING], ...YEARS })

export const seconds = (fromNow: number, now = Date.now()) =>
  `${new Date(now + fromNow * 1000).toISOString().slice(0, 19)}Z`

/** An entity of a list: its name, and the certificates of its two services. */
export interface Entity {
  readonly name: string
  readonly issuance?: readonly TestCertificate[]
  readonly revocation?: readonly TestCertificate[]
  /** The list has the keys of these certificates for issuance, without the certificates. */
  readonly bareKeys?: readonly TestCertificate[]
}

const serviceOf = (type: string, certificates: readonly TestCertificate[]) =>
  certificates.reduce((built, { x5c }) => built.addCertificate(x5c), owfService().name('A service').type(type)).build()

const bareKeysOf = (certificates: readonly TestCertificate[]) => {
  const built = serviceOf(ISSUANCE, certificates)
  const PublicKeyValues = certificates.map(({ certificate }) => certificate.publicKey.export({ format: 'jwk' }))
  return {
    ...built,
    ServiceInformation: { ...built.ServiceInformation, ServiceDigitalIdentity: { PublicKeyValues } },
  } as typeof built
}

const entityOf = ({ name, issuance = [], revocation = [], bareKeys = [] }: Entity) => {
  const made = trustedEntity()
    .name(name)
    .postalAddress({ StreetAddress: 'Street 1', Locality: 'Town', PostalCode: '1', Country: 'DE' })
    .email('trust@provider.example')
    .infoUri('https://provider.example')
  if (issuance.length > 0) made.addService(serviceOf(ISSUANCE, issuance))
  if (bareKeys.length > 0) made.addService(bareKeysOf(bareKeys))
  if (revocation.length > 0) made.addService(serviceOf(REVOCATION, revocation))
  return made.build()
}

export interface Issue {
  readonly sequence?: number
  readonly issuedAt?: string
  readonly nextUpdate?: string
  readonly type?: string
}

/** Makes a list with code of the OpenWallet Foundation. */
export async function makeList(
  by: TestCertificate,
  entities: readonly Entity[],
  { sequence = 1, issuedAt = seconds(-60), nextUpdate = seconds(86_400), type = PID_LIST }: Issue = {},
): Promise<Uint8Array> {
  const lote = createLoTE(
    {
      LoTEType: type,
      LoTESequenceNumber: sequence,
      SchemeOperatorName: [{ lang: 'en', value: 'The operator' }],
      SchemeTerritory: 'EU',
      ListIssueDateTime: issuedAt,
      NextUpdate: nextUpdate,
    },
    entities.map(entityOf),
  )
  const signer = await ES256.getSigner(by.privateKey.export({ format: 'jwk' }))
  const certificates = [String(by.certificate)]
  return Buffer.from((await signLoTE({ lote, keyId: 'list-key', signer, certificates })).jws)
}

/** The definition of a list that an operator signs. */
export const definition = (url: string, operator: TestCertificate, more: Readonly<Record<string, unknown>> = {}) => ({
  url,
  kind: 'lote',
  profile: 'pid',
  purpose: 'credentials',
  signer: { sha256: sha256Of(operator) },
  ...more,
})

const folders: string[] = []

afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))))

/** Writes the file of TRUST_LISTS. The file is removed after the tests of the calling file. */
export async function listsFile(...lists: readonly unknown[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'credence-lists-'))
  folders.push(folder)
  const path = join(folder, 'lists.json')
  writeFileSync(path, JSON.stringify(lists))
  return path
}

/** Presents a membership credential. @returns undefined if it is accepted, otherwise the reason */
export async function refusalOf(
  service: TestService,
  wallet: WalletActor,
  credential: string,
  body: Record<string, unknown> = {},
): Promise<string | undefined> {
  const asked = await ask(service, {
    responseMode: 'direct_post',
    dcqlQuery: { credentials: [{ id: 'club', format: 'dc+sd-jwt', meta: { vct_values: [MEMBERSHIP] } }] },
    ...body,
  })
  const payload = await fetchRequest(asked)
  const held = { id: '', format: 'dc+sd-jwt', credential } as const
  const reply = await answer(payload, { club: [await present(held, wallet, payload, { disclose: [] })] })
  return reply.json.error_description
}

/** Verifies a credential without a session and a token. @returns undefined if its issuer's key is found, otherwise the reason */
export async function keyRefusalOf(service: TestService, credential: string): Promise<string | undefined> {
  const checked = await service.request('POST', '/credentials/verify', {
    authorization: await service.bearer('verifier', { expiresIn: 86_400 }),
    body: { credential },
  })
  if (checked.status !== 200 && checked.status !== 400) throw new Error(checked.text)
  return checked.json.isValid === true ? undefined : (checked.json.error ?? checked.text)
}

const PATH = '/api/v1/trust-lists'

/** Calls the operations of trusted lists as an admin. */
export const listsOf = (service: TestService) => ({
  add: (body: unknown) => service.request('POST', PATH, { client: true, body }),
  all: async () => (await service.request('GET', PATH, { client: true })).json.items,
  read: (id: string) => service.request('GET', `${PATH}/${id}`, { client: true }),
  refresh: (id: string) => service.request('POST', `${PATH}/${id}/refresh`, { client: true }),
  remove: (id: string) => service.request('DELETE', `${PATH}/${id}`, { client: true }),
  entities: (id: string, query = '') => service.request('GET', `${PATH}/${id}/entities${query}`, { client: true }),
  explain: (body: unknown) => service.request('POST', '/api/v1/trust/explain', { client: true, body }),
})

/** Reads the configured list again. @returns how it ended */
export async function refreshed(service: TestService): Promise<string> {
  const [list] = await listsOf(service).all()
  return (await listsOf(service).refresh(list.id)).json.outcome
}
