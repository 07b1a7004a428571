import { type Signer, signCompact } from '../../server/protocol/jose/jws.js'
import { createTokenStatusList } from '../../server/protocol/status-list/token-status-list.js'

const DAY_SECONDS = 86_400
/** TS 119 475 GEN-5.2.4-08: at most twelve months. */
const LIFETIME_SECONDS = 180 * DAY_SECONDS
/** `0.4.0.19475.3.1`: the policy of TS 119 475 §6.1.3 for registration certificates. */
const POLICY = '0.4.0.19475.3.1'
/** Entries of the status list of registration certificates. */
const STATUS_ENTRIES = 1_024

const ENTITLEMENT = 'https://uri.etsi.org/19475/Entitlement'

/** A credential type that a party may ask for or issue (TS 119 475 Table 9), with paths of claims as in DCQL. */
export interface RegisteredCredential {
  readonly format: string
  readonly meta: Readonly<Record<string, unknown>>
  readonly claim?: readonly { readonly path: readonly (string | number | null)[] }[]
}

/** What a registrar knows of a party. */
export interface Registration {
  readonly legalName: string
  /** The identifier in the subject of the access certificate (ETSI EN 319 412-1 §5.1.4). */
  readonly identifier: string
  readonly service: string
  /** Credentials that the party may ask for, and why. */
  readonly asks?: { readonly credentials: readonly RegisteredCredential[]; readonly purpose: string }
  /** Credentials that the party may issue. */
  readonly issues?: readonly RegisteredCredential[]
}

/** A registrar: it signs registration certificates and publishes their status. */
export interface Registrar {
  readonly signer: Signer
  /** The chain of the signer's certificate (base64 DER, the signer's first). */
  readonly x5c: readonly string[]
  /** The address of the status list. */
  readonly statusUri: string
}

const text = (value: string) => [{ lang: 'en', value }]

/**
 * The members of a registration certificate (TS 119 475 v1.2.1 §5.2.4, Tables 7 to 10).
 *
 * @param index the entry of the certificate in the registrar's status list
 */
export function registrationMembers(party: Registration, { statusUri }: Registrar, index: number, now = new Date()) {
  const { legalName, identifier, service, asks, issues } = party
  const iat = Math.floor(now.getTime() / 1000)
  const web = 'https://party.example'
  return {
    name: legalName,
    sub: identifier,
    sub_ln: legalName,
    country: 'DE',
    registry_uri: 'https://registrar.example',
    srv_description: [text(service)],
    entitlements: [`${ENTITLEMENT}/${issues === undefined ? 'Service_Provider' : 'Non_Q_EAA_Provider'}`],
    privacy_policy: `${web}/privacy`,
    info_uri: web,
    support_uri: `${web}/support`,
    supervisory_authority: { email: 'authority@supervisor.example', uri: 'https://supervisor.example' },
    policy_id: [POLICY],
    certificate_policy: 'https://registrar.example/certificate-policy',
    iat,
    exp: iat + LIFETIME_SECONDS,
    status: { status_list: { idx: index, uri: statusUri } },
    public_body: false,
    ...(asks === undefined
      ? {}
      : { credentials: asks.credentials, purpose: text(asks.purpose), intended_use_id: 'trust-demo' }),
    ...(issues === undefined ? {} : { provides_attestations: issues }),
  }
}

/** The data set of a registrar about a party (ETSI TS 119 472-3 §4.2.3), with the members of the EU's TS5. */
export const registrarDataset = ({ legalName, identifier, service, issues = [] }: Registration) => ({
  identifier: [{ type: 'http://data.europa.eu/eudi/id/VATIN', identifier }],
  tradeName: legalName,
  srvDescription: [[{ lang: 'en', content: service }]],
  entitlements: [`${ENTITLEMENT}/Non_Q_EAA_Provider`],
  providesAttestations: issues,
  registryURI: 'https://registrar.example',
  supportURI: ['https://party.example/support'],
  isPSB: false,
  isIntermediary: false,
})

/** Signs a registration certificate (`rc-wrp+jwt`, TS 119 475 v1.2.1 §5.2.2) in JAdES baseline B. */
export const signRegistration = (
  members: Readonly<Record<string, unknown>>,
  { signer, x5c }: Pick<Registrar, 'signer' | 'x5c'>,
): Promise<string> => signCompact(signer, { typ: 'rc-wrp+jwt', x5c }, members)

/** Signs the status list of a registrar's certificates (Token Status List §5.1). */
export const signStatusList = (
  { signer, x5c, statusUri }: Registrar,
  revokedIndices: readonly number[] = [],
  now = new Date(),
): Promise<string> =>
  createTokenStatusList({
    signer,
    x5c,
    issuer: 'https://registrar.example',
    uri: statusUri,
    revokedIndices,
    size: STATUS_ENTRIES,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + LIFETIME_SECONDS * 1000),
    ttlSeconds: 60,
  })
