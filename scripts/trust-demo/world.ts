import { createHash } from 'node:crypto'
import { createSigner, type Signer } from '../../server/protocol/jose/jws.js'
import { PROFILES } from '../../server/protocol/trust-lists/lote/profiles.js'
import { type PublishedEntity, writeLote } from '../../server/protocol/trust-lists/lote/write-lote.js'
import type { ListProfile, TrustedService } from '../../server/protocol/trust-lists/trust-list.js'
import { writeVical } from '../../server/protocol/trust-lists/vical/write-vical.js'
import { type Certified, makeCertificate } from '../certificates.js'
import {
  type Registrar,
  type Registration,
  registrarDataset,
  registrationMembers,
  signRegistration,
  signStatusList,
} from './registration.js'

const DAY_MS = 86_400_000
/** Lists are valid for this time. The profiles allow six months. */
const LIST_DAYS = 90
/** `id-tsl-kp-tslSigning` (TS 119 612 §5.7.1). */
const LIST_SIGNING = '0.4.0.2231.3.0'
/** `NCP-l-eudiwrp`: access certificates of legal persons (TS 119 411-8 §5.3). */
const ACCESS_POLICY = '0.4.0.194118.1.2'
/** mdlDS (ISO/IEC 18013-5 Annex B): signers of mobile driving licences. */
const LICENCE = 'org.iso.18013.5.1.mDL'

/** The verifier of the world: a shop that may ask for the name and birth date of a PID. */
export const SHOP: Registration = {
  legalName: 'Example Shop GmbH',
  identifier: 'VATDE-123456789',
  service: 'A shop that sells to adults.',
  asks: {
    purpose: 'To check the age of a customer.',
    credentials: [
      {
        format: 'dc+sd-jwt',
        meta: { vct_values: ['urn:eudi:pid:1'] },
        claim: [{ path: ['given_name'] }, { path: ['family_name'] }, { path: ['birthdate'] }],
      },
      {
        format: 'mso_mdoc',
        meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' },
        claim: [
          { path: ['eu.europa.ec.eudi.pid.1', 'given_name'] },
          { path: ['eu.europa.ec.eudi.pid.1', 'family_name'] },
          { path: ['eu.europa.ec.eudi.pid.1', 'birth_date'] },
        ],
      },
    ],
  },
}

/** The issuer of the world. */
export const UNIVERSITY: Registration = {
  legalName: 'Example University',
  identifier: 'VATDE-987654321',
  service: 'A university that issues diplomas.',
  issues: [
    { format: 'dc+sd-jwt', meta: { vct_values: ['urn:eudi:pid:1'] } },
    { format: 'mso_mdoc', meta: { doctype_value: 'eu.europa.ec.eudi.pid.1' } },
  ],
}

export interface TrustWorldOptions {
  /** Where the lists are published, without a slash at the end. */
  readonly listsUrl: string
  /** The service that gets the certificates: ISSUER_BASE_URL and VERIFIER_BASE_URL. */
  readonly serviceUrl: string
}

export type TrustWorld = Awaited<ReturnType<typeof makeTrustWorld>>

const x5cOf = ({ jwk }: Certified): string => {
  const [x5c] = jwk.x5c ?? []
  if (x5c === undefined) throw new Error('A certificate has no DER.')
  return x5c
}
const derOf = (certified: Certified): Uint8Array => Buffer.from(x5cOf(certified), 'base64')

/** The signer of a certificate's key. Signatures carry the certificate, so no key identifier. */
const signerOf = ({ jwk: { x5c: _, alg: __, use: ___, ...jwk } }: Certified): Promise<Signer> =>
  createSigner(jwk, 'key-1')

/** Makes an access certificate (TS 119 411-8 §6.6.1) for a party. */
export const accessCertificate = (
  party: Registration,
  issuer: Certified,
  options: { host?: string; days?: number } = {},
) =>
  makeCertificate({
    name: party.legalName,
    organization: party.legalName,
    organizationIdentifier: party.identifier,
    issuer,
    policies: [ACCESS_POLICY],
    uri: ['https://party.example/support'],
    email: ['support@party.example'],
    ...(options.host === undefined ? {} : { dns: [options.host] }),
    ...(options.days === undefined ? {} : { days: options.days }),
  })

/** A new registrar: an authority that a list may name, and the certificate of its signer. */
export async function makeRegistrar(statusUri: string) {
  const authority = await makeCertificate({ name: 'Demo registrar CA', organization: 'Demo Registrar' })
  const certified = await makeCertificate({ name: 'Demo registrar', organization: 'Demo Registrar', issuer: authority })
  const registrar: Registrar = { signer: await signerOf(certified), x5c: [x5cOf(certified)], statusUri }
  return { ...registrar, authority, certified }
}

const serviceOf = (type: string, use: 'issuance' | 'status', certificates: readonly Certified[]): TrustedService => ({
  type,
  uses: [use],
  names: { en: use === 'issuance' ? 'Issuance' : 'Status' },
  status: 'granted',
  certificates: certificates.map(derOf),
  keys: [],
})

const ADDRESS = {
  street: 'Street 1',
  locality: 'Berlin',
  postalCode: '10115',
  country: 'DE',
  electronic: ['mailto:trust@demo.example'],
}

/** An entity with both services of a profile. The status of its certificates is signed below the same authority. */
function entityOf(profile: ListProfile, name: string, certificates: readonly Certified[]): PublishedEntity {
  const { issuance, status } = PROFILES[profile]
  return {
    names: { en: name },
    territory: 'DE',
    address: ADDRESS,
    informationUri: 'https://demo.example',
    services: [
      ...issuance.slice(0, 1).map((type) => serviceOf(type, 'issuance', certificates)),
      ...status.slice(0, 1).map((type) => serviceOf(type, 'status', certificates)),
    ],
  }
}

/** Makes the lists of the world again, such as with another issuer. Each issue has a higher number. */
export async function signLote(
  operator: Certified,
  profile: ListProfile,
  entities: readonly { readonly name: string; readonly certificates: readonly Certified[] }[],
  sequenceNumber = 1,
): Promise<string> {
  const now = Date.now()
  const list = {
    profile,
    territory: 'EU',
    operator: { en: 'Demo list operator' },
    operatorAddress: ADDRESS,
    informationUri: 'https://demo.example/lists',
    policyUri: 'https://demo.example/lists/policy',
    schemeName: { en: `Demo list (${profile})` },
    sequenceNumber,
    // A minute ago: a reader whose clock is a little behind accepts the list.
    issuedAt: new Date(now - 60_000),
    nextUpdate: new Date(now + LIST_DAYS * DAY_MS),
    entities: entities.map(({ name, certificates }) => entityOf(profile, name, certificates)),
  }
  return writeLote(list, await signerOf(operator), [x5cOf(operator)])
}

const hostOf = (url: string): string | undefined => {
  const { hostname } = new URL(url)
  return /^[a-z]/i.test(hostname) ? hostname : undefined
}

/**
 * Makes a small world of trust: authorities, a registrar, a verifier and an issuer with certificates, and signed lists.
 * Nothing is written. Each call makes new keys.
 */
export async function makeTrustWorld({ listsUrl, serviceUrl }: TrustWorldOptions) {
  const statusUri = `${listsUrl}/status/registrations.jwt`
  const [operator, accessAuthority, issuerAuthority, walletAuthority, registrar] = await Promise.all([
    makeCertificate({
      name: 'Demo list operator',
      issuer: await makeCertificate({ name: 'Demo list CA' }),
      purposes: [LIST_SIGNING],
    }),
    makeCertificate({ name: 'Demo access CA', organization: 'Demo Access CA' }),
    makeCertificate({ name: 'Demo issuer CA', organization: 'Demo Issuer CA' }),
    makeCertificate({ name: 'Demo wallet provider CA', organization: 'Demo Wallet Provider' }),
    makeRegistrar(statusUri),
  ])
  const host = hostOf(serviceUrl)
  const verifier = await accessCertificate(SHOP, accessAuthority, host === undefined ? {} : { host })
  // The service signs credentials and metadata with one key. So the issuer's authority is on two lists.
  const issuer = await makeCertificate({
    name: UNIVERSITY.legalName,
    organization: UNIVERSITY.legalName,
    organizationIdentifier: UNIVERSITY.identifier,
    issuer: issuerAuthority,
    policies: [ACCESS_POLICY],
    uri: [serviceUrl],
    email: ['support@party.example'],
  })
  const walletProvider = await makeCertificate({ name: 'Demo wallet provider', issuer: walletAuthority })
  const registrationOf = (party: Registration, index: number) =>
    signRegistration(registrationMembers(party, registrar, index), registrar)
  const issuerEntity = { name: 'Demo issuer CA', certificates: [issuerAuthority] }
  const lists = {
    'wrpac.jwt': await signLote(operator, 'wrpac', [
      { name: 'Demo access CA', certificates: [accessAuthority] },
      issuerEntity,
    ]),
    'wrprc.jwt': await signLote(operator, 'wrprc', [{ name: 'Demo registrar', certificates: [registrar.authority] }]),
    'pid.jwt': await signLote(operator, 'pid', [issuerEntity]),
    'pub-eaa.jwt': await signLote(operator, 'pub-eaa', [issuerEntity]),
    'wallet.jwt': await signLote(operator, 'wallet', [
      { name: 'Demo wallet provider', certificates: [walletAuthority] },
    ]),
    'mdl.vical': await writeVical(
      {
        provider: 'Demo list operator',
        issuedAt: new Date(Date.now() - 60_000),
        nextUpdate: new Date(Date.now() + LIST_DAYS * DAY_MS),
        sequenceNumber: 1,
        entities: [
          {
            names: { en: 'Demo issuer CA' },
            territory: 'DE',
            services: [{ ...serviceOf('mDL', 'issuance', [issuerAuthority]), types: [LICENCE] }],
          },
        ],
      },
      await signerOf(operator),
      [derOf(operator)],
    ),
  } satisfies Record<string, string | Uint8Array>
  return {
    operator,
    accessAuthority,
    issuerAuthority,
    walletAuthority,
    registrar,
    /** The access certificate of {@link SHOP} with its key, and its registration certificate. */
    verifier,
    verifierRegistration: await registrationOf(SHOP, 1),
    /** The certificate of {@link UNIVERSITY} with its key, and its registration certificate. */
    issuer,
    issuerRegistration: await registrationOf(UNIVERSITY, 2),
    /** What the registrar has about {@link UNIVERSITY}. */
    issuerDataset: registrarDataset(UNIVERSITY),
    walletProvider,
    lists,
    statusList: await signStatusList(registrar),
    /** The content of TRUST_LISTS. */
    trustLists: [
      ['wrpac.jwt', 'lote', 'wrpac', 'verifiers'],
      ['wrprc.jwt', 'lote', 'wrprc', 'registrars'],
      ['pid.jwt', 'lote', 'pid', 'credentials'],
      ['pub-eaa.jwt', 'lote', 'pub-eaa', 'credentials'],
      ['wallet.jwt', 'lote', 'wallet', 'wallets'],
      ['mdl.vical', 'vical', undefined, 'credentials'],
    ].map(([file, kind, profile, purpose]) => ({
      url: `${listsUrl}/lists/${file}`,
      kind,
      ...(profile === undefined ? {} : { profile }),
      purpose,
      signer: { sha256: createHash('sha256').update(derOf(operator)).digest('hex') },
    })),
  }
}
