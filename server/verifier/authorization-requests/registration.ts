import { openStored } from '../../agent/registrations/opened.js'
import { judgeStored } from '../../agent/registrations/registrations.js'
import { errors } from '../../api/errors.js'
import type { Formats } from '../../formats/registry.js'
import { shortened } from '../../protocol/messages.js'
import type { DcqlQuery } from '../../protocol/openid4vp/dcql/dcql-query.js'
import type { VerifierInfo } from '../../protocol/openid4vp/request-object.js'
import { type Beyond, beyond } from '../../protocol/registration-certificates/beyond.js'
import type { RegistrationContent } from '../../protocol/registration-certificates/content.js'
import type { RegistrationCertificate } from '../../protocol/registration-certificates/registration-certificate.js'
import type { ProfileName } from '../openid4vp/profiles/profile.js'
import { isDraft } from '../openid4vp/profiles/profiles.js'
import type { ContextRegistration, RequestContext } from './store.js'

/** The format of a registration certificate in `verifier_info` (ETSI TS 119 472-2 §6.3.2.2). */
const FORMAT = 'registration_cert'

const MAX_PURPOSE = 300
/** The language of a purpose that is not chosen. */
const LANGUAGE = 'en'

/** The members of a request that decide about its registration certificate. */
interface Asking {
  /** The intended use that the caller names. */
  readonly intendedUse?: string | undefined
  readonly verifierInfo?: readonly VerifierInfo[] | undefined
  /** The member that holds the query, for messages. */
  readonly member: 'dcqlQuery' | 'query'
  readonly dcqlQuery: DcqlQuery
  readonly profile: ProfileName
  /** The chain that signs the request; null if the request is not signed with the access certificate. */
  readonly x5c: readonly string[] | null
}

/** The registration certificate of a request. */
export interface ChosenRegistration {
  readonly info: VerifierInfo
  /** The purpose of the certificate, in English if it has it; undefined if it has none. */
  readonly purpose: string | undefined
}

interface Candidate {
  readonly id: string
  readonly certificate: string
  readonly content: RegistrationContent
  readonly beyond: readonly Beyond[]
}

const nameOf = ({ id, content }: Candidate): string => content.intendedUse ?? id

/** The party and the intended use of a certificate. The newest certificate of a use replaces the others. */
const useOf = ({ subject, intermediary, intendedUse }: RegistrationContent): string =>
  JSON.stringify([subject.identifier, intermediary?.identifier, intendedUse])

/**
 * Chooses the registration certificate of a request, and compares the query with it (ETSI TS 119 475 §5.2.4). Only requests
 * that are signed with the access certificate carry one, because wallets compare both certificates. Drafts of OpenID4VP have no
 * place for it.
 *
 * @returns undefined if the request carries none, or the caller's own. A caller gives its own only for a verifier without any.
 * @throws 400 for a query beyond the certificate, for an unknown intended use, and if several certificates fit; 409 if no
 *   certificate can be used: it has expired, is revoked, is for another party, or its status is unknown
 */
export async function chooseRegistration(
  { registrations }: Pick<RequestContext, 'registrations'>,
  asking: Asking,
  formats: Pick<Formats, 'named'>,
  now: Date,
): Promise<ChosenRegistration | undefined> {
  const { intendedUse, verifierInfo = [], profile, x5c } = asking
  const isOwn = verifierInfo.some(({ format }) => format === FORMAT)
  const isCompared = x5c !== null && !isDraft(profile)
  // Otherwise any text in its place would avoid the comparison.
  if (isOwn && isCompared && registrations.length > 0) {
    throw errors.badRequest(
      `verifierInfo must not have a ${FORMAT}, because the verifier has registration certificates`,
    )
  }
  if (isOwn || !isCompared) {
    if (intendedUse === undefined) return undefined
    throw errors.badRequest(`intendedUse must be left out ${whyNone(isOwn, x5c)}`)
  }
  if (intendedUse === undefined && registrations.length === 0) return undefined
  const candidates = await usableOf(registrations, { ...asking, x5c }, formats, now)
  const fitting = candidates.filter((candidate) => candidate.beyond.length === 0)
  const [chosen, ...others] = fitting
  if (chosen === undefined) throw beyondAll(candidates, asking.member)
  if (others.length > 0) {
    const names = fitting.map((candidate) => shortened(nameOf(candidate), 100)).sort()
    throw errors.badRequest(
      `intendedUse must be given, because several registration certificates fit: ${names.join(', ')}`,
    )
  }
  return { info: { format: FORMAT, data: chosen.certificate }, purpose: purposeOf(chosen.content) }
}

function whyNone(isOwn: boolean, x5c: readonly string[] | null): string {
  if (isOwn) return `where verifierInfo has a ${FORMAT}`
  return x5c === null ? 'where the request is not signed with the access certificate' : 'with a draft of OpenID4VP'
}

/**
 * The newest certificate of each use, if it can be used. A former certificate must not cover what the newest one no longer
 * covers, and must not replace a revoked one. It only stays in use until the status of the newest one is known.
 */
async function usableOf(
  registrations: readonly ContextRegistration[],
  { intendedUse, dcqlQuery, x5c }: Asking & { readonly x5c: readonly string[] },
  formats: Pick<Formats, 'named'>,
  now: Date,
): Promise<readonly Candidate[]> {
  const disclosesAll = (format: string) => formats.named(format).querying.disclosesAll
  const opened = await Promise.all(
    registrations.map(async (row) => ({ row, registration: await openStored(row.certificate) })),
  )
  const named = opened.filter(
    ({ row, registration: { content } }) =>
      intendedUse === undefined || intendedUse === row.id || intendedUse === content.intendedUse,
  )
  if (named.length === 0) throw errors.badRequest('intendedUse must name a registration certificate of the verifier')
  const judged = named.map(({ row, registration }) => {
    const checkedAt = row.checkedAt === null ? null : new Date(row.checkedAt)
    return { row, registration, ...judgeStored(registration, { ...row, checkedAt }, { x5c, now }) }
  })
  const known = judged.filter(({ state }) => state !== 'status-unknown')
  const newest = newestOf(known.length === 0 ? judged : known)
  const usable = newest.filter(({ state }) => state === 'usable')
  if (usable.length === 0) throw errors.registrationUnusable(newest[0]?.sentence ?? undefined)
  return usable.map(({ row: { id, certificate }, registration: { content } }) => ({
    id,
    certificate,
    content,
    beyond: beyond(content, dcqlQuery, disclosesAll),
  }))
}

/** @param certificates the newest first */
function newestOf<Opened extends { readonly registration: RegistrationCertificate }>(
  certificates: readonly Opened[],
): readonly Opened[] {
  const uses = new Map<string, Opened>()
  for (const one of certificates) {
    const use = useOf(one.registration.content)
    if (!uses.has(use)) uses.set(use, one)
  }
  return [...uses.values()]
}

/** The message is about the certificate that covers most of the query. */
function beyondAll(candidates: readonly Candidate[], member: string) {
  const [nearest] = candidates.toSorted((a, b) => a.beyond.length - b.beyond.length)
  if (nearest === undefined) throw new Error('There is no registration certificate.')
  const name = shortened(nameOf(nearest), 100)
  return errors.invalid(
    nearest.beyond.map(({ sentence }) => `${member} goes beyond the registration certificate ${name}: ${sentence}`),
  )
}

function purposeOf({ purposes }: RegistrationContent): string | undefined {
  const text = purposes.find(({ lang }) => lang.toLowerCase().split('-')[0] === LANGUAGE) ?? purposes[0]
  return text === undefined ? undefined : shortened(text.value.trim(), MAX_PURPOSE - 1)
}
