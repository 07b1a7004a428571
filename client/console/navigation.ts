import type { Texts } from './texts/texts.js'

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
    | '/settings'
  readonly name: keyof Texts['nav']
}

/** The entries of the navigation, in the order in which an operator needs the screens. */
export const PLACES: readonly Place[] = [
  { to: '/', name: 'overview' },
  { to: '/types', name: 'types' },
  { to: '/offers', name: 'offers' },
  { to: '/credentials', name: 'credentials' },
  { to: '/requests', name: 'requests' },
  { to: '/wallets', name: 'wallets' },
  { to: '/sessions', name: 'sessions' },
  { to: '/verify', name: 'verify' },
  { to: '/trust', name: 'trust' },
  { to: '/audit', name: 'audit' },
  { to: '/person', name: 'person' },
  { to: '/settings', name: 'settings' },
]
