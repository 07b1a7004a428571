import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createSigner } from '../../server/protocol/jose/jws.js'
import { makeCertificate, publicPem } from '../certificates.js'
import { environmentOf, PUBLISHED_FOLDER, writeWorld } from '../trust-demo/folder.js'
import { type Registration, registrationMembers, signRegistration, signStatusList } from '../trust-demo/registration.js'
import { makeTrustWorld, SHOP, UNIVERSITY } from '../trust-demo/world.js'

/** The name of the issued credential type. */
const TYPE = 'Pid'
const DOCTYPE = 'eu.europa.ec.eudi.pid.1'

const text = { type: 'string' }
const SUBJECT = { given_name: 'Erika', family_name: 'Mustermann', birthdate: '1984-01-26' }

/** The schema of the issued type. The libraries of the EU demand key attestations from each type of an issuer. */
export const SCHEMA = {
  name: TYPE,
  version: 1,
  display: [{ name: 'Person identification data', locale: 'en' }],
  schema: {
    type: 'object',
    properties: { given_name: text, family_name: text, birthdate: { type: 'string', format: 'date' } },
    required: Object.keys(SUBJECT),
  },
  selectivelyDisclosable: Object.keys(SUBJECT),
  mdoc: {
    doctype: DOCTYPE,
    namespaces: { [DOCTYPE]: { given_name: '/given_name', family_name: '/family_name', birth_date: '/birthdate' } },
  },
  keyAttestation: { keyStorage: ['iso_18045_high'], userAuthentication: ['iso_18045_high'] },
}

const ADDRESS = {
  street: 'Street 1',
  locality: 'Berlin',
  postalCode: '10117',
  country: 'DE',
  electronic: ['mailto:support@party.example'],
}

/** A list of PID providers with the issuer of the service (PUBLISHED_TRUST_LISTS). */
const PUBLISHED_LIST = {
  name: 'issuers',
  kind: 'lote',
  profile: 'pid',
  signer: 'default',
  operator: { en: UNIVERSITY.legalName },
  operatorAddress: ADDRESS,
  schemeName: { en: 'Issuers of the run' },
  informationUri: 'https://party.example/list',
  policyUri: 'https://party.example/list/policy',
  territory: 'EU',
  entities: [
    {
      name: { en: UNIVERSITY.legalName },
      issuers: ['default'],
      address: ADDRESS,
      informationUri: 'https://party.example',
    },
  ],
}

export interface RunWorld {
  /** The settings of the service. */
  readonly settings: Readonly<Record<string, string>>
  /** Private key and certificate of the service's TLS, as PEM. */
  readonly tlsPem: string
  /** File with the authority of the service's TLS. */
  readonly authorities: string
  /** The folder of the world, whose lists are to be published. */
  readonly folder: string
  /** The file for the program. */
  readonly file: string
}

/**
 * Makes a world of trust for a run: authorities, certificates, a registrar, lists, and registration certificates for
 * the type of the run.
 *
 * @param out the folder for the files
 * @param url the address of the service
 * @param listsUrl where the lists are published
 */
export async function makeRunWorld(out: string, url: string, listsUrl: string): Promise<RunWorld> {
  const world = await makeTrustWorld({ listsUrl, serviceUrl: url })
  await mkdir(out, { recursive: true, mode: 0o700 })
  const folder = await writeWorld(world, join(out, 'world'), { listsUrl, replace: true })
  const vct = `${url}/vct/${TYPE}`
  const types = [
    { format: 'dc+sd-jwt', meta: { vct_values: [vct] } },
    { format: 'mso_mdoc', meta: { doctype_value: DOCTYPE } },
  ] as const
  const [sdJwt, mdoc] = types
  const shop: Registration = {
    ...SHOP,
    asks: {
      purpose: 'To check the name of a customer.',
      credentials: [
        { ...sdJwt, claim: [{ path: ['given_name'] }] },
        { ...mdoc, claim: [{ path: [DOCTYPE, 'given_name'] }] },
      ],
    },
  }
  const registrationOf = (party: Registration, index: number) =>
    signRegistration(registrationMembers(party, world.registrar, index), world.registrar)
  await writeFile(join(folder, 'verifier-registration.jwt'), await registrationOf(shop, 1))
  await writeFile(join(folder, 'issuer-registration.jwt'), await registrationOf({ ...UNIVERSITY, issues: types }, 2))

  const walletStatus = `${listsUrl}/status/wallets.jwt`
  const { x5c = [], alg: _, use: __, ...providerKey } = world.walletProvider.jwk
  const provider = { signer: await createSigner(providerKey, 'key-1'), x5c, statusUri: walletStatus }
  await writeFile(join(folder, PUBLISHED_FOLDER, 'status', 'wallets.jwt'), await signStatusList(provider))

  const publishedLists = join(out, 'published-lists.json')
  await writeFile(publishedLists, JSON.stringify([PUBLISHED_LIST]))

  const tlsRoot = await makeCertificate({ name: 'Authority of the run' })
  const tls = await makeCertificate({ name: 'localhost', issuer: tlsRoot, dns: ['localhost'] })
  const authorities = join(out, 'tls-authority.pem')
  await writeFile(authorities, publicPem(tlsRoot))
  const file = join(out, 'world.json')
  const facts = {
    service: url,
    type: TYPE,
    vct,
    subject: SUBJECT,
    lists: `${listsUrl}/lists`,
    registrationStatus: world.registrar.statusUri,
    walletStatus,
    tlsAuthority: publicPem(tlsRoot),
    issuerAuthority: publicPem(world.issuerAuthority),
    accessAuthority: publicPem(world.accessAuthority),
    registrarAuthority: publicPem(world.registrar.authority),
    walletAuthority: publicPem(world.walletAuthority),
    issuer: publicPem(world.issuer),
    listOperator: publicPem(world.operator),
    walletProvider: world.walletProvider.jwk,
  }
  await writeFile(file, JSON.stringify(facts, null, 2), { mode: 0o600 })
  const settings = {
    ...environmentOf(folder, listsUrl),
    PUBLISHED_TRUST_LISTS: publishedLists,
    // The registration certificates count from the start, and not only after the first read of the lists.
    REGISTRAR_TRUST_ANCHORS: join(folder, 'certificates', 'registrar-ca.pem'),
    ISSUER_BASE_URL: url,
    VERIFIER_BASE_URL: url,
    AUTH_DISABLED: 'true',
    RATE_LIMIT_MAX: '0',
    TRUST_PROXY: 'loopback',
  }
  return { settings, tlsPem: tls.pem, authorities, folder, file }
}
