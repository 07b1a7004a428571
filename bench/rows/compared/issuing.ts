import { measureActors } from '../../measure/actors.js'
import { type Caller, createCaller } from '../../measure/caller.js'
import type { Target } from '../../targets/target.js'
import { askForCredential, credentialOf, readEndpoints, readOffer, redeem } from '../../wallet/issuance.js'
import { type BenchWallet, newBenchWallet } from '../../wallet/wallet.js'
import { SUBJECT } from '../fixture.js'
import type { Goal } from '../goal.js'
import type { Row } from '../row.js'

const WALLETS = 64
export const AT_ONCE = [1, 8, 32] as const

/** One of the compared issuers. All of them issue the same credential with the same requests. */
export interface IssuingSide {
  readonly name: string
  readonly target: Target
  /** The path at which the issuer's backend makes an offer. */
  readonly offers: string
  readonly headers?: Readonly<Record<string, string>>
  readonly members?: Readonly<Record<string, unknown>>
  /** Goals of the side's row with eight flows at once. */
  readonly goals?: readonly Goal[]
}

export const issuingRow = (name: string, atOnce: number): string => `issuing in full by ${name}, ${atOnce} at once`

/** Makes an offer. @returns the path at which wallets read the offer */
export async function makeOffer(
  caller: Caller,
  { offers, headers = {}, members = {} }: Pick<IssuingSide, 'offers' | 'headers' | 'members'>,
): Promise<string> {
  const json = { ...members, credentialSubject: SUBJECT }
  const { credentialOfferUri } = await caller.json(offers, { headers, json })
  const reference = new URL(String(credentialOfferUri)).searchParams.get('credential_offer_uri') ?? ''
  return new URL(reference).pathname
}

/**
 * Runs one issuance: makes the offer, reads the offer and both metadata, then gets the token, the nonce and the
 * credential.
 */
export async function issued(caller: Caller, side: IssuingSide, wallet: BenchWallet): Promise<string> {
  const offer = await readOffer(caller, await makeOffer(caller, side))
  const endpoints = await readEndpoints(caller, offer.credential_issuer)
  const grant = await redeem(caller, offer, endpoints)
  return credentialOf(await askForCredential(caller, grant, endpoints, wallet))
}

const jsonOf = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

/** The parts of a credential that decide its cost: disclosed claims, algorithm, binding. */
async function workOf(side: IssuingSide): Promise<string> {
  const caller = createCaller(side.target.url, 1)
  const [jwt = '', ...disclosures] = (await issued(caller, side, newBenchWallet())).split('~').slice(0, -1)
  await caller.close()
  const [header, payload] = jwt.split('.').slice(0, 2).map(jsonOf)
  const claims = disclosures.map((disclosure) => jsonOf(disclosure).slice(1))
  const byName = claims.sort(([a], [b]) => String(a).localeCompare(String(b)))
  return JSON.stringify({ alg: header.alg, bound: typeof payload.cnf, digests: payload._sd.length, claims: byName })
}

/** Rows of whole issuances, which are the same for every side. @throws if two sides issue different credentials */
export async function issuingRows(sides: readonly IssuingSide[]): Promise<Row[]> {
  const works = await Promise.all(sides.map(workOf))
  const other = works.find((work) => work !== works[0])
  if (other !== undefined) throw new Error(`The sides do not issue the same: ${works[0]} and ${other}`)
  const wallets = Array.from({ length: WALLETS }, newBenchWallet)
  return AT_ONCE.flatMap((atOnce) =>
    sides.map((side) => ({
      name: issuingRow(side.name, atOnce),
      goals: atOnce === 8 ? (side.goals ?? []) : [],
      measure: (seconds: number) =>
        measureActors(side.target, wallets, (caller, wallet) => issued(caller, side, wallet), atOnce, seconds),
    })),
  )
}
