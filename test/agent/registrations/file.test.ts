import { rm, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startService, type TestService } from '../../support/service.js'
import { intermediate } from '../certified.js'
import { accessLeaf, type Registrar, SHOP } from './registered.js'
import { AGE, asks, deskAt, pathOf, payloadOf, startVerifierWorld, type VerifierWorld } from './verifier-world.js'

let world: VerifierWorld
let registrar: Registrar
beforeAll(async () => {
  world = await startVerifierWorld()
  registrar = world.registrar
})
afterAll(() => world.close())

/** Returns the id of the default verifier. */
const defaultOf = async (service: TestService, authorization: string): Promise<string> =>
  (await service.request('GET', '/agent/verifiers', { authorization })).json.find(
    ({ isDefault }: { isDefault: boolean }) => isDefault,
  ).id

describe('VERIFIER_REGISTRATIONS', () => {
  const withFile = async (...certificates: readonly string[]) => {
    const path = `${world.files.directory}/registrations.txt`
    await writeFile(path, certificates.join('\n'))
    return {
      ...(await world.environment()),
      VERIFIER_X509: await world.files.fileOf([accessLeaf(SHOP), intermediate]),
      VERIFIER_REGISTRATIONS: path,
    }
  }

  it('gives its certificates to the default verifier, and takes those that are gone', async () => {
    const certificate = await registrar.certify()
    const env = await withFile(certificate)
    const first = await startService({ maintenance: false, env })
    const firstDesk = await deskAt(first, registrar)
    const id = await defaultOf(first, firstDesk.authorization)
    expect((await firstDesk.ask(undefined, asks(AGE))).json.message).toBe(
      'The status of the registration certificate was never read.',
    )
    await firstDesk.look()
    expect((await payloadOf(await firstDesk.ask(undefined, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
    const [{ id: certificateId, fromFile }] = (await firstDesk.list(id)).json.items
    expect(fromFile).toBe(true)
    const removed = await first.request('DELETE', `${pathOf(id)}/${certificateId}`, {
      authorization: firstDesk.authorization,
    })
    expect([removed.status, removed.json.message]).toEqual([
      409,
      'Registration certificate is in VERIFIER_REGISTRATIONS and cannot be removed here.',
    ])
    expect((await firstDesk.list(id)).json.items).toHaveLength(1)
    const { databaseUrl, identityProvider } = first
    await first.service.close()
    const { VERIFIER_REGISTRATIONS: path, ...without } = env
    await rm(path)
    await using second = await startService({ maintenance: false, env: without, databaseUrl, identityProvider })
    const { authorization } = firstDesk
    expect((await second.request('GET', pathOf(id), { authorization })).json.items).toEqual([])
  })

  it('ends the start if it has more than 20 certificates', async () => {
    const certificates = await Promise.all(
      Array.from({ length: 21 }, (_, at) => registrar.certify({ intended_use_id: `use-${at}` })),
    )
    await expect(startService({ maintenance: false, env: await withFile(...certificates) })).rejects.toThrow(
      'VERIFIER_REGISTRATIONS must not hold more than 20 certificates.',
    )
  })

  it('counts apart from the certificates of the API: all of them are listed', async () => {
    const certificates = await Promise.all(
      Array.from({ length: 40 }, (_, at) => registrar.certify({ intended_use_id: `use-${at}` })),
    )
    const env = await withFile()
    const { VERIFIER_REGISTRATIONS: path, ...without } = env
    const first = await startService({ maintenance: false, env: without })
    const { databaseUrl, identityProvider } = first
    const firstDesk = await deskAt(first, registrar)
    const id = await defaultOf(first, firstDesk.authorization)
    for (const certificate of certificates.slice(0, 20)) {
      const { status, text } = await firstDesk.add(id, certificate)
      expect(status, text).toBe(201)
    }
    await first.service.close()
    await writeFile(path, certificates.slice(20).join('\n'))
    await using second = await startService({ maintenance: false, env, databaseUrl, identityProvider })
    const { items } = (await second.request('GET', pathOf(id), { authorization: firstDesk.authorization })).json
    expect(items).toHaveLength(40)
    expect(items.filter(({ fromFile }: { fromFile: boolean }) => fromFile)).toHaveLength(20)
  })

  it('ends the start with the failed check', async () => {
    const env = await withFile(await registrar.certify(), await registrar.certify({ sub: 'LEIXG-OTHER' }))
    await expect(startService({ maintenance: false, env })).rejects.toThrow(
      'VERIFIER_REGISTRATIONS must hold usable certificates. Certificate 2: The registration certificate is registered for LEIXG-OTHER',
    )
  })
})
