import type { z } from 'zod'
import type { SETUP_ITEMS, zSetupItem } from './setup.contract.js'

export type SetupItem = z.input<typeof zSetupItem>

export type SetupId = (typeof SETUP_ITEMS)[number]

/** Makes an item of the checklist. @param action the recommended action; by default none */
export const item = (
  id: SetupId,
  state: SetupItem['state'],
  sentence: string,
  action: string | null = null,
): SetupItem => ({ id, state, sentence, action })
