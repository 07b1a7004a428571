import { setImmediate as turn } from 'node:timers/promises'
import { LruMap } from '../../protocol/jose/lru-map.js'
import { type Anchor, type Anchors, compileAnchors } from '../../protocol/trust-lists/match/anchors.js'
import type { AnchorSource } from '../../protocol/trust-lists/match/answers.js'
import type { TrustedEntity, TrustList } from '../../protocol/trust-lists/trust-list.js'

/** Certificates that are compiled at once: about 10 ms. Other work of the process runs between two parts. */
const CERTIFICATES_AT_ONCE = 500
/** Map entries that are copied at once. */
const ENTRIES_AT_ONCE = 10_000
const MAX_KNOWN_CHAINS = 2_000
const MAX_KNOWN_CHARACTERS = 8 * 1_048_576

/** What the anchors of a list need in addition to its content. `until` may change while they are in use. */
export type SourceOf = Pick<AnchorSource, 'id' | 'until' | 'types'>

const sizeOf = ({ services }: TrustedEntity): number =>
  services.reduce((sum, { certificates, keys }) => sum + certificates.length + keys.length, 0)

function* parts(entities: readonly TrustedEntity[]): Generator<readonly TrustedEntity[]> {
  let part: TrustedEntity[] = []
  let size = 0
  for (const entity of entities) {
    part.push(entity)
    size += sizeOf(entity)
    if (size < CERTIFICATES_AT_ONCE) continue
    yield part
    part = []
    size = 0
  }
  if (part.length > 0) yield part
}

/** Compiles the anchors of one list, in parts. An entity is never in two parts. */
export async function compileList(source: SourceOf, list: TrustList): Promise<readonly Anchors[]> {
  const compiled: Anchors[] = []
  for (const entities of parts(list.entities)) {
    const ofPart: AnchorSource = {
      id: source.id,
      types: source.types,
      list: { ...list, entities },
      get until() {
        return source.until
      },
    }
    compiled.push(compileAnchors([ofPart]))
    await turn()
  }
  return compiled
}

/** Joins the anchors of several lists, so that a chain is looked up once. */
export async function joinAnchors(all: readonly Anchors[]): Promise<Anchors> {
  const byFingerprint = new Map<string, Anchor>()
  const byKey = new Map<string, Anchor[]>()
  const bySubjectKeyId = new Map<string, Anchor[]>()
  const bySubject = new Map<string, Anchor[]>()
  let copied = 0
  const pause = async () => {
    copied += 1
    if (copied % ENTRIES_AT_ONCE === 0) await turn()
  }
  /** Anchors of certificates that an earlier list has. They stay out of the other indexes. */
  const repeated = new Set<Anchor>()
  const made = new Map<Anchor, Anchor>()
  for (const anchors of all) {
    for (const [fingerprint, anchor] of anchors.byFingerprint) {
      const before = byFingerprint.get(fingerprint)
      if (before === undefined) {
        const one = { ...anchor, services: [...anchor.services] }
        byFingerprint.set(fingerprint, one)
        made.set(anchor, one)
      } else {
        before.services.push(...anchor.services)
        repeated.add(anchor)
      }
      await pause()
    }
    for (const [index, ofPart] of [
      [byKey, anchors.byKey],
      [bySubjectKeyId, anchors.bySubjectKeyId],
      [bySubject, anchors.bySubject],
    ] as const) {
      for (const [name, found] of ofPart) {
        const known = index.get(name) ?? []
        for (const anchor of found) if (!repeated.has(anchor)) known.push(made.get(anchor) ?? anchor)
        index.set(name, known)
        await pause()
      }
    }
  }
  return {
    byFingerprint,
    byKey,
    bySubjectKeyId,
    bySubject,
    known: new LruMap(MAX_KNOWN_CHAINS, MAX_KNOWN_CHARACTERS),
  }
}
