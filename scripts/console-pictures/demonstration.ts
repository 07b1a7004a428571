import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { projectDirectory } from '../../server/database/migrations.js'
import type { Demonstration } from './service.js'

const DAY_MS = 86_400_000

const MEMBERSHIP = {
  name: 'Membership',
  version: 1,
  title: 'Membership card',
  display: [{ name: 'Membership card', locale: 'en', background_color: '#1d4d3c', text_color: '#ffffff' }],
  description: 'What a club says of a member',
  expiresInDays: 365,
  selectivelyDisclosable: ['name', 'memberSince'],
  schema: {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: {
      name: { type: 'string', title: 'Name' },
      level: { type: 'string', title: 'Level', enum: ['gold', 'silver', 'bronze'] },
      memberSince: { type: 'string', format: 'date', title: 'Member since' },
    },
    required: ['name', 'level'],
    additionalProperties: false,
  },
}

/** The mark of the club that issues and asks: a boat on waves. */
const LOGO = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64" width="64" height="64">
<rect width="64" height="64" rx="14" fill="#ffffff"/>
<path d="M31 10v28H14zM35 16v22h15z" fill="#1d4d3c"/>
<path d="M10 42h44l-6 9H16z" fill="#c9793a"/>
</svg>`

const FACE = {
  branding: {
    backgroundColor: '#1d4d3c',
    textColor: '#ffffff',
    contact: { email: 'help@club.example' },
    privacyUri: 'https://club.example/privacy',
    imprintUri: 'https://club.example/imprint',
  },
}

const MEMBER = { name: 'Ada Lovelace', level: 'gold', memberSince: '2024-05-01' }

/** Ids and addresses of the data that the pictures show. */
export interface Prepared {
  /** The address of the page of an untaken offer. */
  readonly receivePage: string
}

interface Offer {
  readonly credentialOfferUri: string
  readonly pageUrl: string
}

/** Stores an image. @returns its id */
async function stored(service: Demonstration, drawing: string): Promise<string> {
  const data = Buffer.from(drawing).toString('base64')
  const { id } = await service.post<{ id: string }>('/api/v1/images', { data, mediaType: 'image/svg+xml' })
  return id
}

/** Makes an issuer and a verifier, a type, offers, a hosted wallet that has taken an offer, a request that the wallet has answered, and a refused request. */
export async function prepare(service: Demonstration): Promise<Prepared> {
  const proofOfPurchase = await readFile(join(projectDirectory(), 'prisma', 'seed', 'proof-of-purchase.json'), 'utf8')
  const logo = { image: await stored(service, LOGO), alt_text: 'Rowing Club' }
  const membership = { ...MEMBERSHIP, display: MEMBERSHIP.display.map((entry) => ({ ...entry, logo })) }
  for (const type of [JSON.parse(proofOfPurchase), membership]) await service.post('/schemas', type)
  const record = (kind: 'issuer' | 'verifier') =>
    service.post<{ id: string }>(`/agent/${kind}`, {
      ...FACE,
      method: 'web',
      display: [{ name: 'Rowing Club Kiel', locale: 'en', logo }],
    })
  const [issuer, verifier] = [await record('issuer'), await record('verifier')]
  const offer = () =>
    service.post<Offer>('/credential-offers', {
      credentialConfigurationIds: ['Membership-sd-jwt'],
      credentialSubject: MEMBER,
      page: true,
      issuerId: issuer.id,
    })
  const { id: wallet } = await service.post<{ id: string }>('/agent/holder', { method: 'key' })
  const give = (uri: string) => service.post(`/holders/${wallet}/process`, { uri })
  await give((await offer()).credentialOfferUri)
  const metadata = await service.get<{
    credential_configurations_supported: Readonly<Record<string, { readonly vct: string }>>
  }>('/.well-known/openid-credential-issuer')
  const ask = (trustedIssuers: readonly string[]) =>
    service.post<{ authorizationRequestUri: string }>('/authorization-requests', {
      trustedIssuers,
      verifierId: verifier.id,
      dcqlQuery: {
        credentials: [
          {
            id: 'membership',
            format: 'dc+sd-jwt',
            meta: { vct_values: [metadata.credential_configurations_supported['Membership-sd-jwt']?.vct] },
            claims: [{ path: ['level'] }],
          },
        ],
      },
    })
  await give((await ask(['*'])).authorizationRequestUri)
  // This script wants the verifier to refuse the answer, so it ignores the error.
  await give((await ask(['did:web:elsewhere.example'])).authorizationRequestUri).catch(() => undefined)
  await fillCounters(service.databaseUrl)
  return { receivePage: (await offer()).pageUrl }
}

/**
 * Writes the figures of the 29 days before today, each in the first hour of its day: the console adds hours to days. It writes only the
 * counters, because audit events cannot be created in the past.
 */
async function fillCounters(connectionString: string): Promise<void> {
  const rows = Array.from({ length: 29 }, (_, index) => {
    const at = new Date((Math.floor(Date.now() / DAY_MS) - index - 1) * DAY_MS)
    const weekend = [0, 6].includes(at.getUTCDay())
    const some = (most: number) => Math.round((weekend ? 0.3 : 1) * most * (0.7 + 0.3 * Math.sin(index * 1.7)))
    return [
      [at, 'offers', 'Membership', '', some(64)],
      [at, 'issued', 'Membership', '', some(52)],
      [at, 'issuedIn', 'Membership', 'dc+sd-jwt', some(52)],
      [at, 'offerSessions', '', 'issued', some(52)],
      [at, 'offerSessions', '', 'expired', some(9)],
      [at, 'requests', '', '', some(40)],
      [at, 'verificationSessions', '', 'verified', some(34)],
      [at, 'verificationSessions', '', 'refused', some(3)],
      [at, 'failedChecks', '', 'trust', some(3)],
    ] as const
  }).flat()
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    for (const row of rows.filter(([, , , , count]) => count > 0)) {
      await client.query(
        `INSERT INTO statistics (step, at, measure, type, detail, count) VALUES ('hour', $1, $2, $3, $4, $5)`,
        [...row],
      )
    }
  } finally {
    await client.end()
  }
}
