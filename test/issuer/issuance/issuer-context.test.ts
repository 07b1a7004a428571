import { describe, expect, it, vi } from 'vitest'
import { errors } from '../../../server/api/errors.js'
import { type Commissioner, createContextFor } from '../../../server/issuer/issuance/issuer-context.js'
import type { IssuanceContext } from '../../../server/issuer/issuance/store.js'
import type { CredentialSchema } from '../../../server/issuer/schemas/store.js'

const CONTEXT = { name: 'Diploma', issuerId: 'issuer' } as IssuanceContext
const SCHEMA = { name: 'Diploma' } as CredentialSchema

/** Makes a lookup of issuer contexts for a known or unknown type and issuer. Records the caller. */
function looking({ found = false, schema = true, issuer = true }) {
  const store = { context: vi.fn(async () => (found ? CONTEXT : undefined)) }
  const activeSchema = vi.fn(async () => (schema ? SCHEMA : undefined))
  const knowsIssuer = vi.fn(async () => issuer)
  return { contextFor: createContextFor({ store, activeSchema, knowsIssuer }), store, activeSchema, knowsIssuer }
}

describe('the type and the issuer of a credential', () => {
  it.each<[Commissioner, string | undefined]>([
    [{ sub: 'alice' }, 'alice'],
    ['client', undefined],
  ])('are found with one look-up, for %j', async (commissioner, sub) => {
    const { contextFor, store, activeSchema, knowsIssuer } = looking({ found: true })
    await expect(contextFor('Diploma', 'issuer', commissioner)).resolves.toBe(CONTEXT)
    expect(store.context.mock.calls).toEqual([['Diploma', 'issuer', sub]])
    expect(activeSchema).not.toHaveBeenCalled()
    expect(knowsIssuer).not.toHaveBeenCalled()
  })

  it('of an unknown type are a 404, or the error that the operation’s caller chooses', async () => {
    const { contextFor, knowsIssuer } = looking({ schema: false })
    await expect(contextFor('Diploma', 'issuer', 'client')).rejects.toMatchObject({ status: 404 })
    const other = contextFor('Diploma', 'issuer', 'client', () => errors.badRequest('names no configuration'))
    await expect(other).rejects.toMatchObject({ status: 400, messages: ['names no configuration'] })
    expect(knowsIssuer).not.toHaveBeenCalled()
  })

  it('reveal nothing about an issuer that the caller does not know', async () => {
    const { contextFor, knowsIssuer } = looking({ issuer: false })
    await expect(contextFor('Diploma', 'issuer', { sub: 'alice' })).rejects.toMatchObject(unknownIssuer)
    expect(knowsIssuer.mock.calls).toEqual([['issuer', 'alice']])
  })

  it('have a separate error for a known issuer that does not sign the type', async () => {
    await expect(looking({}).contextFor('Diploma', 'issuer', 'client')).rejects.toMatchObject({
      status: 400,
      messages: ['issuerId must be an issuer that the schema Diploma is assigned to'],
    })
  })

  it('have the error for an unknown issuer if no issuer is named and no issuer signs', async () => {
    const { contextFor, knowsIssuer } = looking({})
    await expect(contextFor('Diploma', undefined, 'client')).rejects.toMatchObject(unknownIssuer)
    expect(knowsIssuer).not.toHaveBeenCalled()
  })
})

const unknownIssuer = { status: errors.issuerNotFound().status, message: errors.issuerNotFound().message }
