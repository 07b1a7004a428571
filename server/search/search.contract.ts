import { z } from 'zod'
import { route } from '../api/contract.js'
import { MAX_NAME, namesShape } from '../names/names.js'
import { zAsk } from '../verifier/sessions/checks.contract.js'

/** The kinds of things that a search finds, in the order of the answer. */
export const FOUND_KINDS = ['type', 'offer', 'credential', 'request', 'wallet', 'vpQuery'] as const

export type FoundKind = (typeof FOUND_KINDS)[number]

/** The highest number of things of one kind in an answer. */
export const FOUND_OF_KIND = 5

const zFound = z.strictObject({
  kind: z.enum(FOUND_KINDS),
  id: z.string(),
  type: z
    .string()
    .optional()
    .meta({ description: 'The name of the credential type. Present for types, offers and credentials.' }),
  name: z.string().optional().meta({ description: 'The name of a wallet or VP query, or the title of a type.' }),
  ...namesShape,
  asks: z.array(zAsk).optional().meta({
    description:
      'What a request asks for, without the values that it requires. Absent for other kinds, and for a query over 32 KiB.',
  }),
  createdAt: z.iso.datetime(),
})

export const search = {
  meta: route('GET', '/api/v1/search', {
    tag: 'Operations',
    summary: 'Find types, offers, credentials, requests, wallets and VP queries',
    description:
      'A text finds a thing by its whole id, its whole `reference`, or the leading words of its `label`, as the filters of the lists do. A wallet or VP ' +
      `query is also found by the beginning of its name, and a type by the beginning of a name or title. At most ${FOUND_OF_KIND} things of each kind are found: exact ` +
      'matches first, then the newest. The answer contains only things that the caller may list.',
    access: 'clientOrUser',
    errors: [400],
  }),
  input: z.strictObject({
    q: z
      .string()
      .max(MAX_NAME)
      .refine((text) => text.trim() !== '', { error: 'must contain a character other than spaces' })
      .refine((text) => !text.includes('\0'), { error: 'must not contain a NUL character' })
      .meta({ description: 'An id, a reference, or the beginning of a label or name.' }),
  }),
  output: z.strictObject({
    items: z.array(zFound),
    more: z.array(z.enum(FOUND_KINDS)).meta({ description: 'The kinds of which more things match.' }),
  }),
}
