import type { AnchorService, ServiceFault, TrustQuery } from './answers.js'

/** The first reason why a service does not count; undefined if it counts. */
export function faultOf({ owner, service }: AnchorService, query: TrustQuery): ServiceFault | undefined {
  const { now, use, type, entity } = query
  if (!service.uses.includes(use)) return 'other-use'
  if (entity !== undefined && entity !== owner) return 'other-entity'
  if (!covers(service.types, type) || !covers(owner.source.types, type)) return 'other-type'
  if (owner.source.until <= now) return 'list-out-of-date'
  if (service.status === 'unknown') return 'unknown-status'
  if (service.endsAt !== undefined && service.endsAt <= now) return 'withdrawn'
  if (service.startsAt !== undefined && service.startsAt > now) return 'not-started'
  return undefined
}

const covers = (types: readonly string[] | undefined, type: string | undefined): boolean =>
  types === undefined || (type !== undefined && types.includes(type))

/** A sentence for operators about a service that does not count. */
export function sentenceOf({ owner, service }: AnchorService, fault: ServiceFault, { type }: TrustQuery): string {
  const name = Object.values(owner.entity.names)[0] ?? 'an entity without a name'
  const { id, until } = owner.source
  const of = `of ${name} on the list ${id}`
  switch (fault) {
    case 'other-use':
      return `The service ${of} is for another use.`
    case 'other-entity':
      return `The signer is a service ${of}, and not of the entity that issued the credential.`
    case 'other-type':
      return `The service ${of} is not for the credential type ${type ?? '(none is given)'}.`
    case 'list-out-of-date':
      return `The list ${id} is out of date since ${until.toISOString()}.`
    case 'withdrawn':
      return `The service ${of} is withdrawn since ${service.endsAt?.toISOString()}.`
    case 'not-started':
      return `The service ${of} starts at ${service.startsAt?.toISOString()}.`
    case 'unknown-status':
      return `The service ${of} is in a state that is not known: ${service.statusUri ?? 'a critical extension'}.`
  }
}
