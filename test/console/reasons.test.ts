import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { de } from '../../client/console/texts/de.js'
import { en } from '../../client/console/texts/en.js'
import { es } from '../../client/console/texts/es.js'
import { fr } from '../../client/console/texts/fr.js'
import { it as italian } from '../../client/console/texts/it.js'
import { reasonIn } from '../../client/console/ui/reasons.js'
import { errors } from '../../server/api/errors.js'
import { CANCELLED, EXPIRED } from '../../server/issuer/openid4vci/sessions/session.js'
import { TX_CODE_LOCKED } from '../../server/issuer/openid4vci/tx-code.js'
import { DECLINED_MESSAGE, EXPIRED_MESSAGE, WALLET_ANSWERED } from '../../server/verifier/sessions/session.js'

/** Every sentence in single quotes or backticks that a source file contains. A placeholder becomes a value. */
const sentencesIn = (files: readonly string[], form: RegExp): string[] =>
  files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(form)].map(([, , sentence = '']) =>
      sentence
        .replace(/\$\{host === [^}]*\}/, 'shop.example')
        .replace(/\$\{[^}]*(?:host|url)[^}]*\}/gi, 'shop.example')
        .replace(/\$\{request\.method\}/, 'POST')
        .replace(/\$\{code\}/, 'ECONNREFUSED')
        .replace(/\$\{[^}]*\}/g, '503'),
    ),
  )

const OUTBOUND = sentencesIn(
  readdirSync('server/outbound').map((name) => `server/outbound/${name}`),
  /new OutboundError\('[\w-]+',\s*(['`])(.*?)\1[,)]/g,
)
const OF_DELIVERIES = sentencesIn(
  ['server/webhooks/attempt.ts', 'server/webhooks/deliver.ts'],
  /(['`])((?:\$\{host\}|The delivery) [^'`]*\.)\1/g,
)
const REJECTED = sentencesIn(['server/issuer/credential-offers/decide.ts'], /(['`])(The issuer [^'`]*\.)\1/g)
const OF_WALLETS = sentencesIn(['server/issuer/openid4vci/notifications.ts'], /(['`])(The wallet [^'`]*)\1/g)
const OF_PRESENTATIONS = sentencesIn(
  ['server/wallet/presentations/presenting.ts'],
  /(['`])(The presentation [^'`]*\.)\1/g,
)

/** The messages of decisions about an offer, and the reasons that the service stores without a check. */
const SENTENCES = [
  EXPIRED_MESSAGE,
  DECLINED_MESSAGE,
  `${WALLET_ANSWERED}access_denied: The user said no.`,
  `${WALLET_ANSWERED}vp_formats_not_supported.`,
  `${WALLET_ANSWERED}an unknown error.`,
  EXPIRED,
  CANCELLED,
  TX_CODE_LOCKED,
  ...REJECTED,
  ...OF_WALLETS.flatMap((what) => [`${what}.`, `${what}: Storage is full.`]),
  ...[errors.offerNotDeferred(), errors.offerDecided('approved'), errors.offerDecided('rejected')].map(String),
  ...[errors.offerEnded(), errors.offerTaken(), errors.offerSessionChanged(), errors.credentialOfferNotFound()].map(
    String,
  ),
  ...OF_PRESENTATIONS,
  ...OF_DELIVERIES,
  ...OUTBOUND,
].map((sentence) => sentence.replace(/^\w*Error: /, ''))

it('the sentences are found in the sources', () => {
  expect(OUTBOUND.length).toBeGreaterThan(12)
  expect([OF_DELIVERIES.length, REJECTED.length, OF_WALLETS.length, OF_PRESENTATIONS.length]).toEqual([3, 1, 2, 1])
})

describe.each([
  ['English', en],
  ['German', de],
  ['French', fr],
  ['Spanish', es],
  ['Italian', italian],
])('the console in %s', (_, { reasons }) => {
  it.each(SENTENCES)('has a text for: %s', (sentence) => {
    expect(reasonIn(reasons, sentence)).toMatch(/\S\.$/)
    expect(reasonIn(reasons, sentence)).not.toContain('undefined')
  })

  it('shows the words of a person as they are', () => {
    expect(reasonIn(reasons, 'You are not on the list.')).toBeUndefined()
    expect(reasonIn(reasons, 'Please call us: Offer cancelled.')).toBeUndefined()
  })
})

it('a text names the host, the status and the code of the sentence', () => {
  expect(reasonIn(de.reasons, 'shop.example answered with status 503.')).toBe(
    'shop.example hat mit dem Status 503 geantwortet.',
  )
  expect(reasonIn(en.reasons, 'Wallet answered wallet_unavailable: x')).toBe(
    'The wallet answered with the error wallet_unavailable.',
  )
})
