import { z } from 'zod'
import { directionControlIn } from './text-direction.js'

/** Name of a type, an issuer or a verifier, for people to read. White space at its ends does not count. */
export const zShownName = z
  .string()
  .trim()
  .min(1)
  .max(200)
  .refine((name) => directionControlIn(name) === undefined, {
    error: ({ input }) => `must not contain ${directionControlIn(String(input))}, which controls the direction of text`,
  })
