import type { TRPCCombinedDataTransformer } from '@trpc/server'
import superjson from 'superjson'

/**
 * What the service takes and gives. Inputs are JSON and go out as they are: superjson refuses to write a member called
 * `constructor` or `prototype`, as a claim may be. Of outputs it makes what JSON has no word for: an image's bytes.
 */
export const transformer: TRPCCombinedDataTransformer = {
  input: { serialize: (json) => ({ json }), deserialize: superjson.deserialize },
  output: superjson,
}
