import { z } from 'zod'
import { type Login, newLogin } from '../../../auth/sign-in.js'
import type { Vault } from '../../../keys/vault.js'
import type { AuthorizationStore } from './store.js'

const zLogin = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() })

const placeOf = (id: string) => ({ column: 'authorizations.login', id }) as const

/** What {@link createKeptLogins} is made of. */
export interface KeptLoginsPorts {
  readonly authorizations: Pick<AuthorizationStore, 'beginLogin' | 'takeLogin'>
  readonly vault: Pick<Vault, 'protect' | 'reveal'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
}

export type KeptLogins = ReturnType<typeof createKeptLogins>

/** Sign-ins of authorizations that are under way, each kept as the vault protects it. */
export function createKeptLogins({ authorizations, vault, random, clock }: KeptLoginsPorts) {
  /** A sign-in as it was kept. */
  const opened = async (id: string, login: string): Promise<Login> =>
    zLogin.parse(JSON.parse(await vault.reveal(placeOf(id), login)))

  return {
    opened,

    /**
     * Begins a sign-in, unless one is under way already: windows of one browser share it.
     *
     * @returns the one that is kept; undefined where nobody is to sign in any more
     */
    async begin(id: string, browserHash: string): Promise<Login | undefined> {
      const made = await vault.protect(placeOf(id), JSON.stringify(newLogin(random, `${id}.`)))
      const kept = await authorizations.beginLogin(id, browserHash, made, clock())
      return kept === undefined ? undefined : opened(id, kept)
    },

    /** Takes a sign-in for the one answer that may end it. @returns false where another answer came first. */
    take: (id: string, login: string): Promise<boolean> => authorizations.takeLogin(id, login, clock()),
  }
}
