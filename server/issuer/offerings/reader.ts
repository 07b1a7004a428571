import { type Caller, isAdmin } from '../../auth/caller.js'

/** Who reads offerings: a user, a client secret, or somebody without credentials. */
export interface Reader {
  readonly caller: Caller | undefined
  readonly client: boolean
}

/** Whether the reader sees the subjects and redemptions of every offering: a client secret or an admin. */
export const seesEverything = ({ caller, client }: Reader): boolean =>
  client || (caller !== undefined && isAdmin(caller))
