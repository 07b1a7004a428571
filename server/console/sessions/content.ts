import { z } from 'zod'
import type { Tokens } from '../../auth/sign-in.js'
import type { Vault } from '../../keys/vault.js'

const zContent = z.strictObject({
  accessToken: z.string(),
  refreshToken: z.string().optional(),
  /** The user's name at the provider. */
  name: z.string().optional(),
})

/** The content of a console session. The service stores it and never sends it to browsers. */
export type SessionContent = z.infer<typeof zContent>

const placeOf = (idHash: string) => ({ column: 'console_sessions.content', id: idHash }) as const

export const contentOf = ({ accessToken, refreshToken }: Tokens, name: string | undefined): SessionContent => ({
  accessToken,
  ...(refreshToken === undefined ? {} : { refreshToken }),
  ...(name === undefined ? {} : { name }),
})

export const protectContent = (vault: Vault, idHash: string, content: SessionContent): Promise<string> =>
  vault.protect(placeOf(idHash), JSON.stringify(content))

export const revealContent = async (vault: Vault, idHash: string, stored: string): Promise<SessionContent> =>
  zContent.parse(JSON.parse(await vault.reveal(placeOf(idHash), stored)))
