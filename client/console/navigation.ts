import type { Texts } from './texts/texts.js'

/** A heading of the navigation. */
export type Group = keyof Texts['navGroups']

/** One entry of the navigation. */
export interface Place {
  /** The path of the screen. The entry is also marked as current while a screen below this path is open. */
  readonly to:
    | '/'
    | '/types'
    | '/offers'
    | '/credentials'
    | '/requests'
    | '/wallets'
    | '/sessions'
    | '/verify'
    | '/trust'
    | '/audit'
    | '/person'
    | '/webhooks'
    | '/settings'
  readonly name: keyof Texts['nav']
  /** The heading above the entry; absent for an entry that stands alone. */
  readonly group?: Group
}

/** The entries of the navigation by group, in the order in which an operator needs the screens. */
export const PLACES: readonly Place[] = [
  { to: '/', name: 'overview' },
  { to: '/types', name: 'types', group: 'issue' },
  { to: '/offers', name: 'offers', group: 'issue' },
  { to: '/credentials', name: 'credentials', group: 'issue' },
  { to: '/requests', name: 'requests', group: 'verify' },
  { to: '/verify', name: 'verify', group: 'verify' },
  { to: '/wallets', name: 'wallets' },
  { to: '/sessions', name: 'sessions', group: 'operate' },
  { to: '/audit', name: 'audit', group: 'operate' },
  { to: '/person', name: 'person', group: 'operate' },
  { to: '/trust', name: 'trust', group: 'operate' },
  { to: '/webhooks', name: 'webhooks', group: 'operate' },
  { to: '/settings', name: 'settings', group: 'operate' },
]
