import type { X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import { shownCertificate } from '../agent/shown-certificate.js'
import { errors } from '../api/errors.js'
import type { Config } from '../config/config.js'
import type { ListPurpose } from '../config/trust-lists.js'
import type { Formats } from '../formats/registry.js'
import { CredentialError } from '../protocol/credential/verification.js'
import { readX5c } from '../protocol/issuer-keys/certificate-chain.js'
import { IssuerKeyError } from '../protocol/issuer-keys/issuer-key-error.js'
import { certificatesInPem, isPem } from '../protocol/issuer-keys/pem.js'
import { claimedIssuer } from '../protocol/issuer-keys/resolve-issuer-key.js'
import { trustedChain } from '../protocol/issuer-keys/trusted-chain.js'
import type { JsonObject } from '../protocol/json/json-object.js'
import type { Match } from '../protocol/trust-lists/match/answers.js'
import type { Work } from '../protocol/work.js'
import { typesOf } from '../verifier/verify/issuer-keys.js'
import { nameOf } from './documents.js'
import type { explainTrust } from './explain.contract.js'
import { statusOf } from './live/list-state.js'
import { lookUp } from './live/listed.js'
import type { LiveList } from './live/live-list.js'
import type { LiveLists } from './live/live-lists.js'

type Answer = z.input<typeof explainTrust.output>
type Place = Answer['places'][number]

/** What is asked about: a chain, and the types that it should be trusted for. */
interface Asked {
  readonly x5c: readonly string[]
  readonly chain: readonly X509Certificate[]
  readonly types: readonly string[]
  readonly issuer: string | undefined
  readonly purpose: ListPurpose
}

/** The roots of each purpose, and the variable that names their file. */
const ROOTS: Readonly<
  Record<ListPurpose, { readonly variable: string; readonly of: (config: Roots) => readonly X509Certificate[] }>
> = {
  credentials: { variable: 'TRUST_ANCHORS', of: (config) => config.trustAnchors },
  status: { variable: 'STATUS_TRUST_ANCHORS', of: (config) => config.statusTrustAnchors },
  verifiers: { variable: 'VERIFIER_TRUST_ANCHORS', of: (config) => config.verifierTrustAnchors },
  registrars: { variable: 'REGISTRAR_TRUST_ANCHORS', of: (config) => config.registrarTrustAnchors },
  wallets: { variable: 'WALLET_TRUST_ANCHORS', of: (config) => config.attestationTrust.trustAnchors },
}

type Roots = Pick<
  Config,
  'trustAnchors' | 'statusTrustAnchors' | 'verifierTrustAnchors' | 'registrarTrustAnchors' | 'attestationTrust'
>

const lineOf = (name: string): string => name.split('\n').join(', ').slice(0, 500)

/** Dependencies of {@link createExplain}. */
export interface ExplainPorts {
  readonly config: Roots & Pick<Config, 'trustedIssuers'>
  readonly live: Pick<LiveLists, 'all' | 'anchorsOf'>
  readonly formats: Pick<Formats, 'recognise'>
  readonly clock: () => Date
}

export type Explain = ReturnType<typeof createExplain>

/** Explains why a chain is trusted, or why not. */
export function createExplain({ config, live, formats, clock }: ExplainPorts) {
  /** Reads header and payload of a credential as the search for its key reads them. @throws 400 */
  const readCredential = async (
    credential: string,
    work: Work,
  ): Promise<{ header: JsonObject; payload: JsonObject }> => {
    const format = formats.recognise(credential)
    if (format === undefined) throw errors.badRequest('credential is of no supported format')
    let seen: { header: JsonObject; payload: JsonObject } | undefined
    const resolveIssuerKey = async (header: JsonObject, payload: JsonObject): Promise<never> => {
      seen = { header, payload }
      throw new CredentialError('The chain was read.')
    }
    try {
      await format.verifying.verify(credential, { resolveIssuerKey, now: clock(), work })
    } catch (error) {
      if (!(error instanceof CredentialError)) throw error
      if (seen === undefined) throw errors.badRequest(`credential cannot be read: ${error.message}`)
    }
    if (seen === undefined) throw errors.badRequest('credential cannot be read')
    return seen
  }

  const askedOf = async (input: z.output<typeof explainTrust.input>, work: Work): Promise<Asked> => {
    const { credential, certificate = '', type, purpose = 'credentials' } = input
    const types = type === undefined ? [] : [type]
    if (credential === undefined) {
      const x5c = certificatesIn(certificate)
      return { x5c, chain: chainIn(x5c, 'certificate'), types, issuer: undefined, purpose }
    }
    const { header, payload } = await readCredential(credential, work)
    const issuer = issuerIn(payload)
    const own = types.length > 0 ? types : typesOf(payload)
    if (header.x5c === undefined) return { x5c: [], chain: [], types: own, issuer, purpose }
    const chain = chainIn(header.x5c, 'credential')
    return { x5c: chain.map(({ raw }) => raw.toString('base64')), chain, types: own, issuer, purpose }
  }

  const rootsPlace = ({ x5c, purpose }: Asked, now: Date): Place => {
    const { variable, of } = ROOTS[purpose]
    const trustAnchors = of(config)
    if (trustAnchors.length === 0) return { name: variable, answer: 'not-trusted', sentence: 'There are no roots.' }
    try {
      const kind = purpose === 'verifiers' ? 'request' : 'credential'
      const { path } = trustedChain(x5c, { trustAnchors, now, purpose: kind })
      const root = lineOf(path.at(-1)?.subject ?? '')
      return { name: variable, answer: 'trusted', sentence: `The chain leads to the root ${root}.` }
    } catch (error) {
      if (!(error instanceof IssuerKeyError)) throw error
      return { name: variable, answer: 'not-trusted', sentence: error.message }
    }
  }

  const listPlace = (list: LiveList, { x5c, types, purpose }: Asked, now: Date): Place => {
    const name = nameOf(list.definition)
    const { state, reason } = statusOf(list, now)
    const place = { name, listId: list.id }
    const query = {
      now,
      purpose: purpose === 'verifiers' ? ('request' as const) : ('credential' as const),
      use: purpose === 'status' ? ('status' as const) : ('issuance' as const),
      types,
    }
    const matches = live.anchorsOf(list.id).map((part) => lookUp(part, x5c, query))
    const best =
      matches.find(({ trusted }) => trusted) ?? matches.find((one) => !one.trusted && one.reason !== 'no-anchor')
    const entity = entityOf(best)
    const known = entity === undefined ? {} : { entity }
    if (state === 'unusable')
      return { ...place, ...known, answer: 'unusable', sentence: `No entity of the list is trusted: ${reason}.` }
    if (best?.trusted === true)
      return { ...place, ...known, answer: 'trusted', sentence: `The chain leads to a service of ${entity}.` }
    const sentence = best === undefined || best.trusted ? 'The chain leads to no service of the list.' : best.sentence
    return { ...place, ...known, answer: 'not-trusted', sentence }
  }

  /** Advice, from the nearest to the most general. */
  const adviceOf = (asked: Asked, places: readonly Place[]): string[] => {
    const { variable } = ROOTS[asked.purpose]
    if (asked.chain.length === 0)
      return ['The credential has no certificate chain. Add its issuer to the trusted issuers by its name.']
    const isTrusted = places.some(({ answer }) => answer === 'trusted')
    const isNamed = asked.purpose === 'credentials' && config.trustedIssuers?.includes('x5c') === false
    const byName = isNamed
      ? ['TRUSTED_ISSUERS has no x5c: add x5c, or add the issuer by its name. The chain alone makes no issuer trusted.']
      : []
    if (isTrusted) return byName
    const unusable = places.filter(({ answer }) => answer === 'unusable')
    const onList = places.filter(({ answer, entity }) => answer === 'not-trusted' && entity !== undefined)
    return [
      ...unusable.map(({ name }) => `Make the list ${name} usable again: read it again, or ask its operator.`),
      ...onList.map(({ name, sentence }) => `Ask the operator of the list ${name}: ${sentence}`),
      `Add a trusted list that has the issuer of the last certificate, or add its root to ${variable}.`,
      ...byName,
    ]
  }

  return {
    /** Explains the trust in a chain. @throws 400 for a credential or certificate that cannot be read */
    async explain(input: z.output<typeof explainTrust.input>, work: Work): Promise<Answer> {
      const asked = await askedOf(input, work)
      const now = clock()
      const { purpose, chain, types, issuer } = asked
      const lists = live.all().filter(({ definition }) => definition.purpose === purpose)
      const places =
        chain.length === 0 ? [] : [rootsPlace(asked, now), ...lists.map((list) => listPlace(list, asked, now))]
      return {
        trusted: places.some(({ answer }) => answer === 'trusted'),
        purpose,
        ...(issuer === undefined ? {} : { issuer: issuer.slice(0, 500) }),
        types: types.slice(0, 50),
        chain: chain.map(shownCertificate),
        end: endOf(chain),
        places,
        advice: adviceOf(asked, places),
      }
    },
  }
}

function issuerIn(payload: JsonObject): string | undefined {
  try {
    return claimedIssuer({ ...payload })
  } catch (error) {
    if (error instanceof IssuerKeyError) return undefined
    throw error
  }
}

/** @throws 400 */
function chainIn(x5c: unknown, member: string): readonly X509Certificate[] {
  try {
    return readX5c(x5c)
  } catch (error) {
    if (!(error instanceof IssuerKeyError)) throw error
    throw errors.badRequest(`${member} has no usable certificate chain: ${error.message}`)
  }
}

/**
 * The certificates of a PEM text, or one certificate in base64, as `x5c`.
 *
 * @throws 400
 */
function certificatesIn(text: string): string[] {
  if (!isPem(text)) return [text.replace(/\s/g, '')]
  try {
    return certificatesInPem(text).map(({ raw }) => raw.toString('base64'))
  } catch {
    throw errors.badRequest('certificate has no usable certificate chain: it is no PEM text of certificates')
  }
}

/** Where a chain ends: at a root that it holds, or at an issuer that it only names. */
function endOf(chain: readonly X509Certificate[]): string {
  const last = chain.at(-1)
  if (last === undefined) return 'There is no certificate chain.'
  if (last.subject === last.issuer) return `The chain ends with the root ${lineOf(last.subject)}.`
  return `The chain ends with ${lineOf(last.subject)}, which ${lineOf(last.issuer)} has issued.`
}

function entityOf(match: Match | undefined): string | undefined {
  if (match === undefined) return undefined
  const owner = match.trusted ? match.found.owner : match.looked[0]?.owner
  return owner === undefined ? undefined : (Object.values(owner.entity.names)[0] ?? 'an entity without a name')
}
