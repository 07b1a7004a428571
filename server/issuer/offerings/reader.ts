import { type Caller, isAdmin } from '../../auth/caller.js'

/** The reader of offerings: a user, a caller with the client secret, or an anonymous caller. */
export interface Reader {
  readonly caller: Caller | undefined
  readonly client: boolean
}

/**
 * Whether the reader sees the subjects and redemptions of every offering. A caller with the client secret and an admin
 * see all offerings in full.
 */
export const seesEverything = ({ caller, client }: Reader): boolean =>
  client || (caller !== undefined && isAdmin(caller))
