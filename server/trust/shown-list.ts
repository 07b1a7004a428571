import { X509Certificate } from 'node:crypto'
import type { z } from 'zod'
import { shownCertificate } from '../agent/shown-certificate.js'
import type { TrustedEntity, TrustedService } from '../protocol/trust-lists/trust-list.js'
import { statusOf } from './live/list-state.js'
import type { LiveList } from './live/live-list.js'
import type { AddedList } from './store.js'
import { type listTrustListEntities, MAX_SHOWN, type readTrustList } from './trust-lists.contract.js'

type Shown = z.input<typeof readTrustList.output>
type ShownEntity = z.input<typeof listTrustListEntities.output>['items'][number]

/** The members that have a value. */
const present = <Members extends object>(members: Members) =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null)) as {
    [Name in keyof Members]?: NonNullable<Members[Name]>
  }

const time = (date: Date | null | undefined): string | undefined => date?.toISOString()

/** A list in the form of the API. @param added the row of a list that an admin added */
export function shownList(live: LiveList, added: AddedList | undefined, now: Date): Shown {
  const { id, documentId, isAdded, definition, state, list, signer } = live
  const status = statusOf(live, now)
  return {
    id,
    contentId: documentId,
    source: isAdded ? 'api' : 'configuration',
    ...definition,
    state: status.state,
    entities: list?.entities.length ?? 0,
    ...present({
      note: added?.note,
      createdBy: added?.createdBy,
      createdAt: time(added?.createdAt),
      check: status.check,
      reason: status.reason,
      usableUntil: time(status.until),
      sequenceNumber: state?.sequenceNumber,
      issuedAt: time(state?.issuedAt),
      nextUpdate: time(state?.nextUpdate),
      readAt: time(state?.readAt),
      checkedAt: time(state?.checkedAt),
      failingSince: time(state?.failedAt),
      alert: state?.alert,
      operator: list?.operator,
      listTerritory: list?.territory,
      signedBy: signer?.toUpperCase().replaceAll(/..(?=.)/g, '$&:'),
    }),
  }
}

/** A certificate of a list; undefined if it cannot be parsed. */
function certificateIn(der: Uint8Array): ReturnType<typeof shownCertificate> | undefined {
  try {
    return shownCertificate(new X509Certificate(der))
  } catch {
    // No chain can lead to a certificate that cannot be parsed.
    return undefined
  }
}

function isTrustedNow({ uses, status, startsAt, endsAt }: TrustedService, now: Date): boolean {
  if (uses.length === 0 || status === 'unknown') return false
  return (startsAt === undefined || startsAt <= now) && (endsAt === undefined || endsAt > now)
}

function shownService(service: TrustedService, isUsable: boolean, now: Date): ShownEntity['services'][number] {
  const { type, names, uses, status, startsAt, endsAt, types, certificates, keys } = service
  return {
    type,
    names,
    trustedFor: [...uses],
    status,
    isTrusted: isUsable && isTrustedNow(service, now),
    certificates: certificates.slice(0, MAX_SHOWN).flatMap((der) => certificateIn(der) ?? []),
    certificateCount: certificates.length,
    keyCount: keys.length,
    ...present({ startsAt: time(startsAt), endsAt: time(endsAt), types: types === undefined ? undefined : [...types] }),
  }
}

/** An entity in the form of the API. @param isUsable whether the list can be used now */
export const shownEntity = (
  { names, territory, services }: TrustedEntity,
  isUsable: boolean,
  now: Date,
): ShownEntity => ({
  names,
  services: services.slice(0, MAX_SHOWN).map((service) => shownService(service, isUsable, now)),
  serviceCount: services.length,
  ...(territory === undefined ? {} : { territory }),
})
