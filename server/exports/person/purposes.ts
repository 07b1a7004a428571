import type { Config } from '../../config/config.js'
import { DAY_SECONDS } from '../../maintenance/task.js'

/** The end of a record: a rule in words, or a moment of the record that a number of seconds follows. */
type End = string | { readonly after: 'createdAt' | 'expiresAt' | 'endedAt'; readonly seconds: number }

interface Purpose {
  /** The reason why the service keeps the record (GDPR Article 15(1)(a)). */
  readonly purpose: string
  /** When the record is deleted (GDPR Article 15(1)(d)). */
  readonly until: End
}

export const NOT_DELETED = 'No end is set: the record stays until an operator erases it.'
const BY_WALLET = 'Until the owner of the hosted wallet deletes it.'
const AT_END: End = { after: 'expiresAt', seconds: 0 }
/** Sign-ins stay for an hour after their end. */
const AUTHORIZATION_SECONDS = 3_600

type PurposeConfig = Pick<Config, 'retentionAuditDays' | 'retentionPresentationsDays' | 'sessionResultTtlSeconds'>

/** The purpose and the end of each kind of record. */
export const purposesOf = ({
  sessionResultTtlSeconds,
  retentionAuditDays,
  retentionPresentationsDays,
}: PurposeConfig) =>
  ({
    credential: { purpose: 'Proves what was issued to whom. It is needed to revoke the credential.', until: AT_END },
    redemption: { purpose: 'Counts how often an offering was taken, and by whom.', until: NOT_DELETED },
    offering: { purpose: 'Holds the claims of a credential that the person may take.', until: NOT_DELETED },
    authorization: {
      purpose: 'Lets a wallet receive a credential after the person signed in.',
      until: { after: 'expiresAt', seconds: AUTHORIZATION_SECONDS },
    },
    verificationResult: {
      purpose: 'Hands the presented claims to the verifier that asked for them.',
      until: { after: 'endedAt', seconds: sessionResultTtlSeconds },
    },
    evidence: { purpose: 'Lets an auditor verify a presentation of the person again.', until: AT_END },
    wallet: { purpose: 'A hosted wallet of the person.', until: NOT_DELETED },
    did: { purpose: 'Names the person, or a wallet of the person, to issuers and verifiers.', until: BY_WALLET },
    walletCredential: { purpose: 'A credential that the person keeps in a hosted wallet.', until: BY_WALLET },
    walletPresentation: {
      purpose: 'Shows the person what the hosted wallet presented to whom.',
      until: { after: 'createdAt', seconds: retentionPresentationsDays * DAY_SECONDS },
    },
    walletPendingIssuance: {
      purpose: 'A credential that the hosted wallet waits for.',
      until: AT_END,
    },
    flow: { purpose: 'A scanned code that waits for the confirmation of the person.', until: AT_END },
    consoleSession: { purpose: 'Keeps the person signed in to the console.', until: AT_END },
    auditEvent: {
      purpose: 'Shows who changed what, and when.',
      until:
        retentionAuditDays === undefined
          ? 'No end is set: audit events are never deleted.'
          : `${retentionAuditDays} days after the month of the event.`,
    },
    exportOrder: { purpose: 'An order for an export, by the person or about the person.', until: AT_END },
    made: { purpose: 'Shows who created a record of the installation.', until: 'As long as the created record.' },
  }) as const satisfies Readonly<Record<string, Purpose>>

export type PersonRecord = keyof ReturnType<typeof purposesOf>

interface Ending {
  readonly createdAt?: Date | null
  readonly expiresAt?: Date | null
  readonly endedAt?: Date | null
}

/** Makes the members `purpose` and `keptUntil` of a record. */
export function createPurposes(config: PurposeConfig) {
  const purposes: Readonly<Record<PersonRecord, Purpose>> = purposesOf(config)
  return (record: PersonRecord, row: Ending = {}): { readonly purpose: string; readonly keptUntil: string } => {
    const { purpose, until } = purposes[record]
    if (typeof until === 'string') return { purpose, keptUntil: until }
    const moment = row[until.after]
    if (moment === null || moment === undefined) return { purpose, keptUntil: NOT_DELETED }
    return { purpose, keptUntil: new Date(moment.getTime() + until.seconds * 1000).toISOString() }
  }
}
