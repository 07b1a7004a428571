/** The part of oidc-provider that `npm start -- --login` and tests use. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    readonly Grant: new (of: {
      accountId: string
      clientId: string
    }) => {
      addOIDCScope(scope: string): void
      addResourceScope(resource: string, scope: string): void
      save(): Promise<string>
    }
    interactionDetails(
      request: IncomingMessage,
      response: ServerResponse,
    ): Promise<{ readonly params: Readonly<Record<string, unknown>> }>
    interactionFinished(request: IncomingMessage, response: ServerResponse, result: object): Promise<void>
  }

  interface Prompts {
    add(prompt: InstanceType<typeof interactionPolicy.Prompt>, index: number): void
  }

  /** The order in which the provider asks the user, and for what. */
  export const interactionPolicy: {
    readonly base: () => Prompts
    readonly Prompt: new (of: { readonly name: string; readonly requestable: boolean }) => { readonly name: string }
  }
}
