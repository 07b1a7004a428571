import type { TRPCCombinedDataTransformer } from '@trpc/server'
import superjson from 'superjson'

/**
 * Converts inputs and outputs of the service. Inputs are JSON and are sent unchanged: superjson refuses members named
 * `constructor` or `prototype`, and a claim may have such a name. In outputs, superjson restores values that JSON cannot
 * represent, such as the bytes of an image.
 */
export const transformer: TRPCCombinedDataTransformer = {
  input: { serialize: (json) => ({ json }), deserialize: superjson.deserialize },
  output: superjson,
}
