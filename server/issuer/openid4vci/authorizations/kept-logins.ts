import { z } from 'zod'
import { type Login, newLogin } from '../../../auth/sign-in.js'
import type { Vault } from '../../../keys/vault.js'
import type { AuthorizationStore } from './store.js'

const zLogin = z.strictObject({ state: z.string(), nonce: z.string(), verifier: z.string() })

const placeOf = (id: string) => ({ column: 'authorizations.login', id }) as const

/** Dependencies of {@link createKeptLogins}. */
export interface KeptLoginsPorts {
  readonly authorizations: Pick<AuthorizationStore, 'beginLogin' | 'takeLogin'>
  readonly vault: Pick<Vault, 'protect' | 'reveal'>
  readonly random: (length: number) => Uint8Array
  readonly clock: () => Date
}

export type KeptLogins = ReturnType<typeof createKeptLogins>

/** Unfinished sign-ins of authorizations, each encrypted by the vault. */
export function createKeptLogins({ authorizations, vault, random, clock }: KeptLoginsPorts) {
  /** Decrypts a stored sign-in. */
  const opened = async (id: string, login: string): Promise<Login> =>
    zLogin.parse(JSON.parse(await vault.reveal(placeOf(id), login)))

  return {
    opened,

    /**
     * Begins a sign-in, or returns the unfinished sign-in. All windows of one browser share one sign-in.
     *
     * @returns the stored sign-in; undefined if no sign-in is expected any more
     */
    async begin(id: string, browserHash: string): Promise<Login | undefined> {
      const made = await vault.protect(placeOf(id), JSON.stringify(newLogin(random, `${id}.`)))
      const kept = await authorizations.beginLogin(id, browserHash, made, clock())
      return kept === undefined ? undefined : opened(id, kept)
    },

    /**
     * Removes a stored sign-in, so only one answer of the provider can end it.
     *
     * @returns false if another answer came first
     */
    take: (id: string, login: string): Promise<boolean> => authorizations.takeLogin(id, login, clock()),
  }
}
