import { X509Certificate } from 'node:crypto'
import { compactVerify, decodeJwt, decodeProtectedHeader, importX509 } from 'jose'
import { expect, it } from 'vitest'
import { registrationMembers, signRegistration } from '../../../scripts/trust-demo/registration.js'
import { SHOP, UNIVERSITY } from '../../../scripts/trust-demo/world.js'
import { keyInX5c } from '../../../server/protocol/issuer-keys/certificate-chain.js'
import { openRegistrationCertificate } from '../../../server/protocol/registration-certificates/registration-certificate.js'
import { bindingFault } from '../../../server/protocol/registration-certificates/subject.js'
import { type PublishedWorld, startInWorld } from '../../support/trust-world.js'

const METADATA = '/.well-known/openid-credential-issuer'
const DAY_MS = 86_400_000

it('metadata have the data set and the registration certificate of the issuer (TS 119 472-3 §4.2.3), and so has their signed form', async () => {
  await using started = await startInWorld()
  const { service, world } = started
  const expected = [
    { format: 'registrar_dataset', data: world.issuerDataset },
    { format: 'registration_cert', data: world.issuerRegistration },
  ]
  expect((await service.request('GET', METADATA)).json.issuer_info).toEqual(expected)
  const signed = (await service.request('GET', METADATA, { headers: { accept: 'application/jwt' } })).text
  const [leaf = ''] = decodeProtectedHeader(signed).x5c ?? []
  const access = new X509Certificate(Buffer.from(leaf, 'base64'))
  await compactVerify(signed, await importX509(access.toString(), 'ES256'))
  expect(decodeJwt(signed).issuer_info).toEqual(expected)
  // The reader of this service finds the party of the certificate that signs the metadata.
  const { content } = await openRegistrationCertificate(world.issuerRegistration, (x5c) => ({ jwk: keyInX5c(x5c) }))
  expect(content).toMatchObject({
    subject: { identifier: UNIVERSITY.identifier, name: UNIVERSITY.legalName },
    providesAttestations: UNIVERSITY.issues?.map(({ format, meta }) => ({ format, meta })),
  })
  expect(bindingFault(content, access)).toBeUndefined()
})

it('a certificate that has expired is left out of the metadata', async () => {
  let now = new Date()
  await using started = await startInWorld(() => ({ ISSUER_REGISTRAR_DATASET: '' }), { clock: () => now })
  const { service, world } = started
  const info = async () => (await service.request('GET', METADATA)).json.issuer_info
  expect(await info()).toEqual([{ format: 'registration_cert', data: world.issuerRegistration }])
  now = new Date(now.getTime() + 181 * DAY_MS)
  expect(await info()).toBeUndefined()
})

const signed = (world: PublishedWorld, members: Readonly<Record<string, unknown>>) =>
  signRegistration({ ...registrationMembers(UNIVERSITY, world.registrar, 3), ...members }, world.registrar)

const HOUR = 3_600
const now = () => Math.floor(Date.now() / 1000)

const ATTACKS: Readonly<Record<string, [(world: PublishedWorld) => Promise<string>, string]>> = {
  'of another organization': [
    (world) => signed(world, { sub: SHOP.identifier }),
    `is registered for ${SHOP.identifier}, but the access certificate is for ${UNIVERSITY.identifier}.`,
  ],
  'that has expired': [
    (world) => signed(world, { iat: now() - 2 * HOUR, exp: now() - HOUR }),
    'The registration certificate expired at',
  ],
  'whose content was changed': [
    async (world) => {
      const [header, , signature] = world.issuerRegistration.split('.')
      const members = { ...registrationMembers(UNIVERSITY, world.registrar, 2), name: 'Bank' }
      return `${header}.${Buffer.from(JSON.stringify(members)).toString('base64url')}.${signature}`
    },
    'signature',
  ],
  'of a party that issues nothing': [
    async (world) => signed(world, { provides_attestations: undefined }),
    'has no credentials that may be issued.',
  ],
}

it.each(Object.entries(ATTACKS))('attack: a certificate %s ends the start by name', async (_, [make, message]) => {
  const start = startInWorld(async (world) => ({
    ISSUER_REGISTRATIONS: await world.write('other.jwt', await make(world)),
  }))
  await expect(start).rejects.toThrow(
    /^Invalid environment variables:\n- ISSUER_REGISTRATIONS must hold usable certificates\. Certificate 1: /,
  )
  await expect(start).rejects.toThrow(message)
})

it('a certificate needs ISSUER_X509, because nothing else ties it to the issuer', async () => {
  await expect(startInWorld(() => ({ ISSUER_X509: '' }))).rejects.toThrow(
    'ISSUER_REGISTRATIONS needs ISSUER_X509 with a certificate for the same organization.',
  )
})
