import type { z } from 'zod'
import { errors } from '../../api/errors.js'
import { type Caller, isAdmin } from '../../auth/caller.js'
import type { Work } from '../../protocol/work.js'
import type { CredentialSchema, SchemaEditor, SchemaStore } from '../schemas/store.js'
import { assertSecret } from './accept.js'
import type { AskSource } from './ask.js'
import type { replaceClaimsSourceSecret, testClaimsSource } from './claims-source.contract.js'
import type { SourceSecrets } from './secrets.js'
import { kindsOf, type SourceAuth } from './source.js'
import type { ClaimsSourceStore } from './store.js'

const namesOf = (auth: SourceAuth): string => Object.keys(auth).sort().join(', ')

const editorOf = (caller: Caller): SchemaEditor => ({ sub: caller.sub, isAdmin: isAdmin(caller) })

/** Dependencies of {@link createClaimsSources}. */
export interface ClaimsSourcesPorts {
  readonly store: Pick<ClaimsSourceStore, 'permits' | 'recordShown' | 'replaceSecret'>
  readonly findSchema: SchemaStore['find']
  readonly secrets: Pick<SourceSecrets, 'protect'>
  readonly ask: AskSource
  readonly configurationIds: (schema: CredentialSchema) => readonly string[]
  readonly clock: () => Date
}

export type ClaimsSources = ReturnType<typeof createClaimsSources>

/** The claims sources of schemas, for their owners. */
export function createClaimsSources({ store, findSchema, secrets, ask, configurationIds, clock }: ClaimsSourcesPorts) {
  /** @throws 404 for an unknown schema, 403 for a schema of another caller, 409 for a schema without a source */
  const sourceOf = async (caller: Caller, id: string) => {
    const [schema, permitted] = await Promise.all([findSchema(id), store.permits(id, editorOf(caller))])
    if (schema === undefined || permitted === undefined) throw errors.schemaNotFound()
    if (!permitted) throw errors.schemaDenied()
    if (schema.claimsSource === null) throw errors.noClaimsSource()
    return { schema, source: schema.claimsSource }
  }

  return {
    /** Whether a caller may have the source of a schema asked: the owner of the schema, or an admin. */
    mayAsk: async (caller: Caller, schemaId: string): Promise<boolean> =>
      (await store.permits(schemaId, editorOf(caller))) === true,

    /**
     * Replaces the secrets of a source.
     *
     * @throws 400 for other kinds of authentication than the source has, 403, 404 and 409 as `test` does
     */
    async replaceSecret(caller: Caller, { id, auth }: z.output<typeof replaceClaimsSourceSecret.input>): Promise<void> {
      const { source } = await sourceOf(caller, id)
      assertSecret(auth, 'auth')
      const expected = namesOf(source.auth)
      if (namesOf(kindsOf(auth)) !== expected) throw errors.badRequest(`auth must have exactly: ${expected}`)
      await store.replaceSecret(id, await secrets.protect(id, auth), editorOf(caller))
    },

    /**
     * Asks a source about a person, who may be a real one. Issues and stores nothing. If the answer shows claims, an audit event is
     * written before.
     *
     * @throws 404 for an unknown schema, 403 for a schema of another caller, 409 for a schema without a source
     */
    async test(
      caller: Caller,
      { id, reference, subject }: z.output<typeof testClaimsSource.input>,
      work: Work,
    ): Promise<z.input<typeof testClaimsSource.output>> {
      const { schema } = await sourceOf(caller, id)
      const begun = clock().getTime()
      const answer = await ask(
        schema,
        { subject, reference, credentialConfigurationIds: configurationIds(schema), test: true },
        work,
      )
      const milliseconds = Math.max(0, clock().getTime() - begun)
      if (answer.kind === 'claims') await store.recordShown(id, caller.sub)
      return {
        outcome: answer.kind,
        milliseconds,
        problems: [...answer.problems],
        ...(answer.kind === 'claims' ? { credentialSubject: { ...answer.credentialSubject } } : {}),
      }
    },
  }
}
