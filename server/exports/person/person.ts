import { decodeJwt } from 'jose'
import { auditEvent } from '../../audit/audit-event.js'
import type { AuditStore } from '../../audit/store.js'
import type { Config } from '../../config/config.js'
import type { ListPosition } from '../../database/list-position.js'
import { listedCredential } from '../../issuer/credentials/list/listed-credential.js'
import type { ProtectedName } from '../../keys/at-rest/columns.js'
import type { Vault } from '../../keys/vault.js'
import { type Names, namesView } from '../../names/names.js'
import { requestTextsView } from '../../names/names-store.js'
import { isObject } from '../../protocol/json/json-object.js'
import type { ClaimsStore } from '../claims-store.js'
import { type ExportRecord, iso, type Records, type Subject } from '../export.js'
import { paged } from '../paged.js'
import type { Section } from '../rights.js'
import { createPurposes, NOT_DELETED } from './purposes.js'
import { MAX_DIDS, type Person, type PersonCredential, type PersonOffering, type PersonStore } from './store.js'

/** Dependencies of {@link createPersonRecords}. */
export interface PersonRecordsPorts {
  readonly store: PersonStore
  readonly audit: Pick<AuditStore, 'page'>
  readonly claims: ClaimsStore
  readonly vault: Pick<Vault, 'reveal'>
  readonly config: Pick<Config, 'retentionAuditDays' | 'retentionPresentationsDays' | 'sessionResultTtlSeconds'>
  readonly clock: () => Date
}

/** Sentences for the header of the file: records about the person that the service cannot find. */
const CANNOT_KNOW = [
  'A credential that a wallet received without a sign-in and without a DID names no person. Neither its record nor its offer is in this file.',
  'A presented credential and its evidence are in this file only if the credential names a DID of the person, and only while the result of its session is kept.',
  'Audit events of wallets and of the client secret name no person.',
  'Backups, log files, the identity provider, and verifiers or issuers that received data keep their own copies.',
]
const CANNOT_KNOW_BY_SUB = [
  'A credential that the person created or signed without a DID of a holder may be about another person. Check it before you hand the file over.',
  'A console session is in this file only if its access token is readable and names the person.',
]
const CANNOT_KNOW_BY_DID = [
  'Records that name only the `sub` of the person are not in this file: sign-ins, console sessions, audit events. Order an export by `sub` for them.',
]
const CANNOT_KNOW_OF_SECTIONS =
  'The caller may not read all sections. Records of the missing sections are not in this file.'

const CANNOT_KNOW_OF_DIDS = `Records name more than ${MAX_DIDS} DIDs of the person. Records of further DIDs are not in this file.`

const ALL_SECTIONS: readonly Section[] = ['issuer', 'verifier', 'account']

export type PersonRecords = ReturnType<typeof createPersonRecords>

/** When the claims of a record are erased, or when they were. */
const claimsKept = ({ claimsDueAt, claimsErasedAt }: Pick<PersonOffering, 'claimsDueAt' | 'claimsErasedAt'>) =>
  claimsErasedAt === null
    ? { claimsKeptUntil: claimsDueAt?.toISOString() ?? NOT_DELETED }
    : { claimsErasedAt: claimsErasedAt.toISOString() }

/** Reads all data that the service keeps about a person (GDPR Article 15), table by table: see `tables.ts`. */
export function createPersonRecords({ store, audit, claims, vault, config, clock }: PersonRecordsPorts) {
  const kept = createPurposes(config)

  const reveal = async (column: ProtectedName, id: string, stored: string | null): Promise<unknown> =>
    stored === null ? null : JSON.parse(await vault.reveal({ column, id }, stored))

  /** Pages of records, each made of one row. */
  async function* each<Row extends ListPosition>(
    read: Parameters<typeof paged<Row>>[0],
    recordOf: (row: Row) => Promise<ExportRecord | undefined> | ExportRecord | undefined,
  ): Records {
    for await (const rows of paged(read)) {
      const records: ExportRecord[] = []
      for (const row of rows) {
        const record = await recordOf(row)
        if (record !== undefined) records.push(record)
      }
      yield records
    }
  }

  async function offeringRecords(rows: readonly PersonOffering[]): Promise<ExportRecord[]> {
    if (rows.length === 0) return []
    const ids = rows.map(({ id }) => id)
    const subjects = await claims.ofOfferings(ids)
    const names = await claims.namesOfOfferings(ids)
    return rows.map(({ expiresAt, createdAt, claimsDueAt, claimsErasedAt, ...row }) => ({
      record: 'offering',
      ...row,
      at: createdAt.toISOString(),
      expiresAt: iso(expiresAt),
      credentialSubject: subjects.get(row.id) ?? null,
      ...namesView(names.get(row.id)),
      ...claimsKept({ claimsDueAt, claimsErasedAt }),
      ...kept('offering'),
    }))
  }

  /** The records of credentials, of their redemptions, and of the offerings that were made for one redemption. */
  async function credentialRecords(rows: readonly PersonCredential[], person: Person): Promise<ExportRecord[]> {
    // A credential for the DID of somebody else: its claims are about another person.
    const isOfAnother = ({ holderDid, redeemedBy }: PersonCredential) =>
      holderDid !== null && !person.dids.includes(holderDid) && (redeemedBy === null || redeemedBy !== person.sub)
    const ids = rows.filter((row) => !isOfAnother(row)).map(({ id }) => id)
    const vcs = ids.length === 0 ? new Map<string, unknown>() : await claims.ofCredentials(ids)
    const notes = ids.length === 0 ? new Map<string, string>() : await claims.notesOf(ids)
    const names = ids.length === 0 ? new Map<string, Names | null>() : await claims.namesOfCredentials(ids)
    const offeringIds = rows.flatMap((row) => (isOfAnother(row) ? [] : (row.offeringId ?? [])))
    const offerings = offeringIds.length === 0 ? [] : await store.offeringsOfOne(offeringIds, person)
    const records = rows.flatMap((row): ExportRecord[] => {
      const { createdAt: at, ...shown } = listedCredential({ ...row, names: names.get(row.id) ?? null })
      const { redemptionId, recipientDid, redeemedBy, redeemedAt, offeringId, id: credentialId } = row
      const vc = isOfAnother(row) ? { ofAnotherPerson: true } : { vc: vcs.get(row.id) ?? null }
      const ends = { ...claimsKept(row), ...kept('credential', { expiresAt: row.recordDueAt }) }
      const note = notes.has(row.id) ? { note: notes.get(row.id) } : {}
      const credential = {
        record: 'credential',
        ...shown,
        at,
        instances: row.instances,
        attestations: row.attestations ?? [],
        ...vc,
        ...note,
        ...ends,
      }
      if (redemptionId === null) return [credential]
      const redemption = { id: redemptionId, credentialId, offeringId, recipientDid, redeemedBy }
      return [credential, { record: 'redemption', ...redemption, at: iso(redeemedAt), ...kept('redemption') }]
    })
    return [...records, ...(await offeringRecords(offerings))]
  }

  async function* issuerRecords(person: Person): Records {
    const { sub, dids } = person
    if (sub !== null) {
      for await (const rows of paged((part) => store.claimed(sub, part))) yield credentialRecords(rows, person)
    }
    for (const did of dids) {
      for await (const rows of paged((part) => store.held(did, person, part))) yield credentialRecords(rows, person)
    }
    if (sub !== null) {
      for await (const rows of paged((part) => store.owned(sub, person, part))) yield credentialRecords(rows, person)
      for await (const rows of paged((part) => store.offeredTo(sub, part))) yield offeringRecords(rows)
    }
    for (const did of dids) {
      for await (const rows of paged((part) => store.offeredToDid(did, person, part))) yield offeringRecords(rows)
    }
    if (sub === null) return
    yield* each(
      (part) => store.authorizations(sub, part),
      async ({ userClaims, createdAt, expiresAt, ...row }) => ({
        record: 'authorization',
        ...row,
        at: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        userClaims: await reveal('authorizations.user_claims', row.id, userClaims),
        ...kept('authorization', { expiresAt }),
      }),
    )
  }

  async function* verifierRecords({ dids }: Person): Records {
    if (dids.length === 0) return
    const isOfPerson = (result: unknown) =>
      Array.isArray(result) && result.some((one) => isObject(one) && dids.includes(String(one.subject)))
    for await (const rows of paged((part) => store.results(part))) {
      const outcomes = await claims.ofSessions(rows.map(({ id }) => id))
      const ofPerson = rows.filter(({ id }) => isOfPerson(outcomes.get(id)?.result))
      if (ofPerson.length === 0) continue
      const names = await claims.namesOfSessions(ofPerson.map(({ id }) => id))
      yield ofPerson.map(({ id, verifierId, endedAt }) => ({
        record: 'verificationResult',
        id,
        verifierId,
        at: endedAt.toISOString(),
        ...requestTextsView(names.get(id) ?? { names: null, purpose: null }),
        ...outcomes.get(id),
        ...kept('verificationResult', { endedAt }),
      }))
      for (const { id } of ofPerson) {
        const found = await claims.ofEvidence(id)
        if (found === undefined) continue
        const { evidence, createdAt, expiresAt } = found
        yield [{ record: 'evidence', id, at: createdAt.toISOString(), evidence, ...kept('evidence', { expiresAt }) }]
      }
    }
  }

  async function* walletRecords({
    id: holderId,
    method,
    name,
    createdAt,
  }: {
    id: string
    method: string
    name: string | null
    createdAt: Date
  }): Records {
    yield [{ record: 'wallet', id: holderId, method, name, at: createdAt.toISOString(), ...kept('wallet') }]
    yield* didRecords({ holderId })
    yield* each(
      (part) => store.heldCredentials(holderId, part),
      async ({ id, format, content, createdAt: at }) => {
        const copies = await store.copies(id)
        const shown = await Promise.all(
          copies.map(async ({ id: copy, compact, kid, presentedAt }) => ({
            credential: await vault.reveal({ column: 'wallet_credential_copies.compact', id: copy }, compact),
            kid,
            presentedAt: iso(presentedAt),
          })),
        )
        const opened = await reveal('wallet_credentials.content', id, content)
        const row = { id, holderId, format, at: at.toISOString(), content: opened, copies: shown }
        return { record: 'walletCredential', ...row, ...kept('walletCredential') }
      },
    )
    yield* each(
      (part) => store.presentations(holderId, part),
      async ({ id, content, createdAt: at }) => {
        const opened = await reveal('wallet_presentations.content', id, content)
        const row = { id, holderId, at: at.toISOString(), content: opened }
        return { record: 'walletPresentation', ...row, ...kept('walletPresentation', { createdAt: at }) }
      },
    )
    yield* each(
      (part) => store.pending(holderId, part),
      async ({ id, content, createdAt: at, expiresAt }) => {
        const opened = await reveal('wallet_pending_issuances.content', id, content)
        const row = { id, holderId, at: at.toISOString(), expiresAt: expiresAt.toISOString(), ...awaited(opened) }
        return { record: 'walletPendingIssuance', ...row, ...kept('walletPendingIssuance', { expiresAt }) }
      },
    )
  }

  const didRecords = (of: { readonly holderId: string } | { readonly createdBy: string }): Records =>
    each(
      (part) => store.dids(of, part),
      ({ createdAt, ...row }) => ({ record: 'did', ...row, at: createdAt.toISOString(), ...kept('did') }),
    )

  async function* walletsOf({ sub, dids }: Person): Records {
    if (sub === null) {
      for (const did of dids) for (const wallet of await store.walletOfDid(did)) yield* walletRecords(wallet)
      return
    }
    for await (const wallets of paged((part) => store.wallets(sub, part))) {
      for (const wallet of wallets) yield* walletRecords(wallet)
    }
    yield* didRecords({ createdBy: sub })
  }

  async function* accountRecords(person: Person): Records {
    yield* walletsOf(person)
    yield* each(
      (part) => store.orders(part),
      async ({ subject, createdBy, createdAt, expiresAt, ...row }) => {
        const about = (await reveal('exports.subject', row.id, subject)) as Subject | null
        const isAbout =
          about !== null && (about.sub === undefined ? person.dids.includes(about.did) : about.sub === person.sub)
        if (!isAbout && (person.sub === null || createdBy !== person.sub)) return undefined
        const times = { at: createdAt.toISOString(), expiresAt: expiresAt.toISOString() }
        // An order by the person may be about somebody else, whom this file must not name.
        const names = isAbout ? { subject: about } : {}
        return { record: 'exportOrder', ...row, ...names, ...times, ...kept('exportOrder', { expiresAt }) }
      },
    )
    const { sub } = person
    if (sub === null) return
    yield* each(
      (part) => store.flows(sub, part),
      async ({ content, createdAt, expiresAt, ...row }) => ({
        record: 'flow',
        ...row,
        at: createdAt.toISOString(),
        expiresAt: expiresAt.toISOString(),
        content: await reveal('flows.content', row.id, content),
        ...kept('flow', { expiresAt }),
      }),
    )
    yield* each(
      (part) => store.consoleSessions(clock(), part),
      async ({ id, content, createdAt, endsAt, expiresAt }) => {
        if (userOf(await reveal('console_sessions.content', id, content)) !== sub) return undefined
        const times = { at: createdAt.toISOString(), endsAt: endsAt.toISOString(), expiresAt: expiresAt.toISOString() }
        return { record: 'consoleSession', id: null, ...times, ...kept('consoleSession', { expiresAt }) }
      },
    )
    yield* each(
      (part) => store.made(sub, part),
      ({ createdAt, ...row }) => ({ record: 'made', ...row, at: createdAt.toISOString(), ...kept('made') }),
    )
    yield* each(
      (part) => audit.page({ actor: sub }, { ...part, from: undefined, to: undefined }),
      (row) => ({ record: 'auditEvent', ...auditEvent(row), ...kept('auditEvent') }),
    )
  }

  return {
    /** The person with the DIDs that records name together with the `sub`. */
    person: async (subject: Subject): Promise<Person> =>
      subject.sub === undefined
        ? { sub: null, dids: [subject.did] }
        : { sub: subject.sub, dids: await store.didsOf(subject.sub) },

    /** Sentences about missing records: the service cannot find them, or the caller may not read them. */
    cannotKnow: ({ sub, dids }: Person, sections: ReadonlySet<Section>): string[] => [
      ...CANNOT_KNOW,
      ...(sub === null ? CANNOT_KNOW_BY_DID : CANNOT_KNOW_BY_SUB),
      ...(dids.length === MAX_DIDS ? [CANNOT_KNOW_OF_DIDS] : []),
      ...(ALL_SECTIONS.every((section) => sections.has(section)) ? [] : [CANNOT_KNOW_OF_SECTIONS]),
    ],

    /** The records of a person in these sections. */
    async *records(person: Person, sections: ReadonlySet<Section>): Records {
      if (sections.has('issuer')) yield* issuerRecords(person)
      if (sections.has('verifier')) yield* verifierRecords(person)
      if (sections.has('account')) yield* accountRecords(person)
    },
  }
}

/**
 * The issuer and the configurations of a deferred issuance. Its tokens and keys are left out, because they are secrets
 * and not data about the person.
 */
function awaited(content: unknown): Record<string, unknown> {
  const { credentialIssuer, transactions = [] } = content as {
    credentialIssuer?: string
    transactions?: readonly { configurationId?: string; types?: readonly string[] }[]
  }
  return {
    credentialIssuer,
    waitingFor: transactions.map(({ configurationId, types }) => ({ configurationId, types })),
  }
}

/** The `sub` in the access token of a console session; undefined if the token is not readable. The sign-in has verified it. */
function userOf(content: unknown): string | undefined {
  const { accessToken } = content as { accessToken: string }
  try {
    return decodeJwt(accessToken).sub
  } catch {
    return undefined
  }
}
