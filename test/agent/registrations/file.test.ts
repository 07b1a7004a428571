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
    const idOf = async (on: TestService) =>
      (await on.request('GET', '/agent/verifiers', { authorization: firstDesk.authorization })).json.find(
        ({ isDefault }: { isDefault: boolean }) => isDefault,
      ).id
    const id = await idOf(first)
    expect((await firstDesk.ask(undefined, asks(AGE))).json.message).toBe(
      'The status of the registration certificate was never read.',
    )
    await firstDesk.look()
    expect((await payloadOf(await firstDesk.ask(undefined, asks(AGE)))).verifier_info).toEqual([
      { format: 'registration_cert', data: certificate },
    ])
    const [{ id: certificateId, fromFile }] = (await firstDesk.list(id)).json.items
    expect(fromFile).toBe(true)
    expect(
      (await first.request('DELETE', `${pathOf(id)}/${certificateId}`, { authorization: firstDesk.authorization }))
        .status,
    ).toBe(404)
    const { databaseUrl, identityProvider } = first
    await first.service.close()
    const { VERIFIER_REGISTRATIONS: path, ...without } = env
    await rm(path)
    await using second = await startService({ maintenance: false, env: without, databaseUrl, identityProvider })
    const { authorization } = firstDesk
    expect((await second.request('GET', pathOf(id), { authorization })).json.items).toEqual([])
  })

  it('ends the start with the failed check', async () => {
    const env = await withFile(await registrar.certify(), await registrar.certify({ sub: 'LEIXG-OTHER' }))
    await expect(startService({ maintenance: false, env })).rejects.toThrow(
      'VERIFIER_REGISTRATIONS must hold usable certificates. Certificate 2: The registration certificate is registered for LEIXG-OTHER',
    )
  })
})
