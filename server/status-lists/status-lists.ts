import type { DocumentSigners } from '../keys/document-signers/document-signers.js'
import { createAggregation } from './aggregation.js'
import { createAllotment } from './allotment.js'
import { createPublication, type PublicationConfig } from './publication.js'
import type { StatusListStore } from './store.js'

/** Dependencies of {@link createStatusLists}. */
export interface StatusListsPorts {
  readonly store: Pick<StatusListStore, 'entry' | 'find' | 'newest' | 'overview' | 'reserve' | 'setIndices'>
  readonly documentSigners: Pick<DocumentSigners, 'signerOf'>
  readonly config: PublicationConfig
  readonly clock: () => Date
  readonly newId: () => string
  readonly sealingKey: (label: string) => Uint8Array
}

export type StatusLists = ReturnType<typeof createStatusLists>

/**
 * The status lists of issued credentials. A process must create them only once, because published lists and reserved
 * indices are in their memory.
 */
export function createStatusLists({ store, documentSigners, config, clock, newId, sealingKey }: StatusListsPorts) {
  return {
    allot: createAllotment(store, newId, (listId) => sealingKey(`status-list ${listId}`)),

    publish: createPublication({ store, documentSigners, config, clock }),

    aggregation: createAggregation({ store, config }),

    /**
     * Reads one entry without a cache; undefined for an unknown list.
     *
     * @param id the list's id, without a space
     * @param index 0 to 2,147,483,647
     */
    entry: (id: string, index: number) => store.entry(id, index),

    /** Returns the id of the newest list (null if there is none), and the number of lists. */
    overview: () => store.overview(),
  }
}
