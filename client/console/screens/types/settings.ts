import type { CredenceInputs } from '../../../index.js'

type Body = CredenceInputs['schemas']['create']

/** How a claims source is authenticated. `kept`: as in the previous version. */
export const SOURCE_AUTHS = ['kept', 'hmac', 'bearer', 'mTLS'] as const
export type SourceAuth = (typeof SOURCE_AUTHS)[number]

/** The settings of a type that name no claims, as the user typed them. */
export interface Settings {
  /** Validity in days; empty if the credential never expires. */
  expiresInDays: string
  /** The beginning of the validity, as an input for a local date and time has it; empty if it is the issuance. */
  validFrom: string
  /** The beginning of the validity before the change. It may be more precise than the input. */
  formerValidFrom: string
  suspendable: boolean
  /** Whether a subject has at most one active credential of the type. */
  oneActiveSet: boolean
  /** Whether a refresh revokes the instances that it replaces. */
  revokePrevious: boolean
  watchAttestations: boolean
  /** Whether a wallet provider must attest the keys of wallets. */
  needsKeyAttestation: boolean
  /** Accepted values, one each line; empty if every value is accepted. */
  keyStorage: string
  userAuthentication: string
  /** When claims are erased; `default` if the installation decides. */
  retention: 'default' | 'never' | 'untilIssued' | 'days'
  /** Days after which claims are erased. */
  retentionDays: string
  /** Days after which the record is removed; empty if it stays. */
  recordDays: string
  /** The address of the claims source; empty without one. */
  sourceUrl: string
  /** Limit of one request in milliseconds; empty for the default. */
  sourceTimeout: string
  sourceAuth: SourceAuth
  /** Further ways in which requests to the source are authenticated. */
  sourceAlso: Record<Exclude<SourceAuth, 'kept'>, boolean>
  sourceHmac: string
  sourceBearer: string
  sourceCertificate: string
  sourceKey: string
}

/** An ISO date-time as an input for a local date and time has it, to the second. */
function localTime(iso: string): string {
  const at = new Date(iso)
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}

function retentionDraft({ retention }: Partial<Body>): Pick<Settings, 'retention' | 'retentionDays' | 'recordDays'> {
  const recordDays = String(retention?.record?.days ?? '')
  const claims = retention?.claims
  if (claims === undefined) return { retention: 'default', retentionDays: '', recordDays }
  return typeof claims === 'string'
    ? { retention: claims, retentionDays: '', recordDays }
    : { retention: 'days', retentionDays: String(claims.days), recordDays }
}

function sourceDraft({ claimsSource: source }: Partial<Body>) {
  const { bearer, hmac, mTLS } = source?.auth ?? {}
  const given = { hmac: hmac !== undefined, bearer: bearer !== undefined, mTLS: mTLS !== undefined }
  const isKept = source !== undefined && source.auth === undefined
  const first = (['hmac', 'bearer', 'mTLS'] as const).find((kind) => given[kind]) ?? 'hmac'
  return {
    sourceUrl: source?.url ?? '',
    sourceTimeout: String(source?.timeoutMs ?? ''),
    sourceAuth: isKept ? ('kept' as const) : first,
    sourceAlso: { ...given, [first]: false },
    sourceHmac: hmac ?? '',
    sourceBearer: bearer ?? '',
    sourceCertificate: mTLS?.certificate ?? '',
    sourceKey: mTLS?.key ?? '',
  }
}

/** The settings of a type in the form. */
export function settingsDraft(body: Partial<Body> = {}): Settings {
  const { keyAttestation: keys } = body
  return {
    expiresInDays: String(body.expiresInDays ?? ''),
    validFrom: body.validFrom === undefined ? '' : localTime(body.validFrom),
    formerValidFrom: body.validFrom ?? '',
    suspendable: body.suspendable === true,
    oneActiveSet: body.activeSets !== undefined,
    revokePrevious: body.onRefresh === 'revoke-previous',
    watchAttestations: body.watchAttestations === true,
    needsKeyAttestation: keys !== undefined,
    keyStorage: keys?.keyStorage?.join('\n') ?? '',
    userAuthentication: keys?.userAuthentication?.join('\n') ?? '',
    ...retentionDraft(body),
    ...sourceDraft(body),
  }
}

const linesOf = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

function keysOf({ needsKeyAttestation, keyStorage, userAuthentication }: Settings): Pick<Body, 'keyAttestation'> {
  if (!needsKeyAttestation) return {}
  const [storage, users] = [linesOf(keyStorage), linesOf(userAuthentication)]
  return {
    keyAttestation: {
      ...(storage.length === 0 ? {} : { keyStorage: storage }),
      ...(users.length === 0 ? {} : { userAuthentication: users }),
    },
  }
}

function retentionOf({ retention, retentionDays, recordDays }: Settings): Pick<Body, 'retention'> {
  if (retention === 'default') return {}
  const claims = retention === 'days' ? { days: Number(retentionDays) } : retention
  const record = recordDays.trim() === '' ? {} : { record: { days: Number(recordDays) } }
  return { retention: { claims, ...record } }
}

/** Whether requests to the source are authenticated in this way. */
export const isChosen = ({ sourceAuth, sourceAlso }: Settings, kind: Exclude<SourceAuth, 'kept'>): boolean =>
  sourceAuth !== 'kept' && (sourceAuth === kind || sourceAlso[kind])

function sourceOf(draft: Settings): Pick<Body, 'claimsSource'> {
  const url = draft.sourceUrl.trim()
  if (url === '') return {}
  const auth = {
    ...(isChosen(draft, 'hmac') ? { hmac: draft.sourceHmac.trim() } : {}),
    ...(isChosen(draft, 'bearer') ? { bearer: draft.sourceBearer.trim() } : {}),
    ...(isChosen(draft, 'mTLS')
      ? { mTLS: { certificate: draft.sourceCertificate.trim(), key: draft.sourceKey.trim() } }
      : {}),
  }
  return {
    claimsSource: {
      url,
      ...(draft.sourceAuth === 'kept' ? {} : { auth }),
      ...(draft.sourceTimeout.trim() === '' ? {} : { timeoutMs: Number(draft.sourceTimeout) }),
    },
  }
}

function validFromOf({ validFrom, formerValidFrom }: Settings): Pick<Body, 'validFrom'> {
  if (validFrom === '') return {}
  // An unchanged input keeps the exact time.
  const isUnchanged = formerValidFrom !== '' && localTime(formerValidFrom) === validFrom
  return { validFrom: isUnchanged ? formerValidFrom : new Date(validFrom).toISOString() }
}

/** The settings as the service takes them. */
export const memberSettings = (draft: Settings) => ({
  ...(draft.expiresInDays.trim() === '' ? {} : { expiresInDays: Number(draft.expiresInDays) }),
  ...validFromOf(draft),
  ...(draft.suspendable ? { suspendable: true } : {}),
  ...(draft.oneActiveSet ? { activeSets: { perSubject: 1 as const } } : {}),
  ...(draft.revokePrevious ? { onRefresh: 'revoke-previous' as const } : {}),
  ...(draft.watchAttestations ? { watchAttestations: true } : {}),
  ...keysOf(draft),
  ...retentionOf(draft),
  ...sourceOf(draft),
})
