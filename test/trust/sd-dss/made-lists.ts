import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { makeCertificate, type TestCertificate } from '../../protocol/issuer-keys/certificates.js'
import { ISSUANCE, LIST_SIGNING, lote, loteEntity, loteService } from '../../protocol/trust-lists/world.js'
import { newWallet } from '../../support/wallet-actor.js'
import { makeLeaf, makeRoot, membership, YEARS } from '../../verifier/certified.js'
import {
  ACCEPTED_JSON,
  ACCEPTED_XML,
  type HowJson,
  type HowXml,
  JSON_DEFAULTS,
  type SignerName,
  WRONG_JSON,
  WRONG_XML,
  type Wrong,
  XML_DEFAULTS,
} from './cases.js'
import type { SdDss } from './java.js'
import { type Issue, nationalList, strangeProvider } from './national-list.js'

export const HOLDERS = ['granted', 'withdrawn', 'later', 'unknown', 'persons', 'strange'] as const
type Holder = (typeof HOLDERS)[number]

/** Everything that the tests need: lists that SD-DSS has signed, and credentials of the issuers that they name. */
export interface MadeLists {
  readonly madeAt: string
  /** The certificate to pin for each signer, in PEM form. A leaf is pinned by its authority. */
  readonly pins: Readonly<Record<SignerName, string>>
  readonly credentials: Readonly<Record<Holder, string>>
  readonly xml: Readonly<Record<string, string>>
  readonly wrongXml: Readonly<Record<string, string>>
  readonly json: Readonly<Record<string, string>>
  readonly wrongJson: Readonly<Record<string, string>>
}

interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

interface Signer {
  readonly certificate: TestCertificate
  readonly keyType: 'EC' | 'RSA'
}

const root = makeRoot('C=EU/Authority of lists')

function makeSigner(keyPair: KeyPair, subject = 'C=EU/Operator'): Signer {
  const certificate = makeCertificate({
    subject,
    issuer: root,
    keyUsage: 0x80,
    purposes: [LIST_SIGNING],
    ...YEARS,
    keyPair,
  })
  return { certificate, keyType: certificate.privateKey.asymmetricKeyType === 'rsa' ? 'RSA' : 'EC' }
}

const rsa = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength })
const ec = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve })

const makeSigners = (): Readonly<Record<SignerName, Signer>> => ({
  rsa: makeSigner(rsa(2048)),
  'rsa-small': makeSigner(rsa(1024)),
  p256: makeSigner(ec('P-256')),
  p384: makeSigner(ec('P-384')),
  p521: makeSigner(ec('P-521')),
  stranger: makeSigner(ec('P-256')),
  leaf: makeSigner(ec('P-256'), 'C=EU/Signer'),
})

const requestOf = ({ certificate, keyType }: Signer, withAuthority = false) => ({
  key: certificate.privateKey.export({ type: 'pkcs8', format: 'der' }).toString('base64'),
  keyType,
  chain: withAuthority ? [certificate.x5c, root.x5c] : [certificate.x5c],
})

const base64 = (text: string) => Buffer.from(text).toString('base64')
const textOf = (answer: string) => Buffer.from(answer, 'base64').toString()

const SIGNATURE = /<ds:Signature[\s\S]*<\/ds:Signature>/
const END = '</TrustServiceStatusList>'

/** Changes a signed list. Throws if nothing has changed. */
function changed(xml: string, change: NonNullable<Wrong['change']>, evil: string): string {
  const [signature = ''] = SIGNATURE.exec(xml) ?? []
  const wrapped = (id: string) => {
    const original = xml.replace(signature, '').replace(/<\?xml.*\?>/, '')
    const around = signature.replace('</ds:Signature>', () => `<ds:Object>${original}</ds:Object></ds:Signature>`)
    const other = xml.replace(signature, '').replace('Id="list"', `Id="${id}"`)
    return other
      .replace(/<TrustServiceProviderList>[\s\S]*<\/TrustServiceProviderList>/, () => evil)
      .replace(END, () => `${around}${END}`)
  }
  const after = {
    'provider-added': () =>
      xml.replace('<TrustServiceProviderList>', () => evil.replace('</TrustServiceProviderList>', '')),
    'status-changed': () => xml.replace('/withdrawn</ServiceStatus>', '/granted</ServiceStatus>'),
    wrapped: () => wrapped('other'),
    'wrapped-with-id': () => wrapped('list'),
    'second-signature': () => xml.replace(END, () => `${signature}${END}`),
    unsigned: () => xml.replace(signature, ''),
    doctype: () => xml.replace('<TrustServiceStatusList', '<!DOCTYPE TrustServiceStatusList>$&'),
  }[change]()
  if (after === xml) throw new Error(`The change ${change} has changed nothing.`)
  return after
}

const flipped = (compact: string, number: number, change: (part: string) => string) =>
  compact
    .split('.')
    .map((part, at) => (at === number ? change(part) : part))
    .join('.')

/** Makes all lists with SD-DSS, which first checks the lists in XML against the schemas of ETSI TS 119 612. */
export async function makeLists(dss: SdDss): Promise<MadeLists> {
  const now = Math.floor(Date.now() / 1000) * 1000
  const signers = makeSigners()
  const authorities = {
    granted: makeRoot('Granted'),
    withdrawn: makeRoot('Withdrawn'),
    later: makeRoot('Later'),
    unknown: makeRoot('Unknown'),
    persons: makeRoot('Persons'),
  }
  const strange = makeRoot('Strange')
  const evil = `<TrustServiceProviderList>${strangeProvider(strange, now)}</TrustServiceProviderList>`

  const signXml = async ({
    by = 'rsa',
    issue = {},
    signedAt = XML_DEFAULTS.signedAt,
    withAuthority,
    ...how
  }: HowXml) => {
    const signer = signers[by]
    const document = base64(nationalList(authorities, signer.certificate, now, issue))
    const request = {
      ...XML_DEFAULTS,
      ...how,
      ...requestOf(signer, withAuthority),
      version: issue.version ?? 6,
      name: 'list.xml',
      signedAt: now + signedAt,
    }
    await dss.ask({ ...request, do: 'check-xml', document })
    return textOf(await dss.ask({ ...request, do: 'sign-xml', document }))
  }

  const signJson = async ({ by = 'p256', issue = {}, signedAt = JSON_DEFAULTS.signedAt, ...how }: HowJson) =>
    textOf(
      await dss.ask({
        ...JSON_DEFAULTS,
        ...how,
        ...requestOf(signers[by]),
        do: 'sign-json',
        document: base64(JSON.stringify(loteOf(authorities.granted, now, issue))),
        name: 'list.json',
        signedAt: now + signedAt,
      }),
    )

  const wallet = await newWallet()
  const credentialOf = (authority: TestCertificate) => membership(makeLeaf(authority), wallet)
  return {
    madeAt: new Date(now).toISOString(),
    pins: Object.fromEntries(
      Object.entries(signers).map(([name, { certificate }]) => [
        name,
        String((name === 'leaf' ? root : certificate).certificate),
      ]),
    ) as MadeLists['pins'],
    credentials: {
      granted: await credentialOf(authorities.granted),
      withdrawn: await credentialOf(authorities.withdrawn),
      later: await credentialOf(authorities.later),
      unknown: await credentialOf(authorities.unknown),
      persons: await credentialOf(authorities.persons),
      strange: await credentialOf(strange),
    },
    xml: await eachOf(ACCEPTED_XML, signXml),
    wrongXml: await eachOf(WRONG_XML, async ({ check: _, sentence: _sentence, change, ...how }) => {
      const xml = await signXml(how)
      return change === undefined ? xml : changed(xml, change, evil)
    }),
    json: await eachOf(ACCEPTED_JSON, signJson),
    wrongJson: await eachOf(WRONG_JSON, async ({ check: _, sentence: _sentence, change, ...how }) => {
      const jws = await signJson(how)
      if (change === 'signature-removed') return flipped(jws, 2, () => '')
      const other = base64url(loteOf(strange, now, {}))
      return change === 'payload-changed' ? flipped(jws, 1, () => other) : jws
    }),
  }
}

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

async function eachOf<How>(
  cases: Readonly<Record<string, How>>,
  make: (how: How) => Promise<string>,
): Promise<Record<string, string>> {
  // One after the other: the program answers in this order anyway.
  const made: Record<string, string> = {}
  for (const [name, how] of Object.entries(cases)) {
    made[name] = await make(how).catch((cause) => {
      throw new Error(`A list with ${name} could not be made: ${cause}`, { cause })
    })
  }
  return made
}

function loteOf(authority: TestCertificate, now: number, { sequence = 5, issued = -60_000, nextUpdate }: Issue) {
  const time = (at: number) => `${new Date(now + at).toISOString().slice(0, 19)}Z`
  return lote([loteEntity('Ministry', [loteService(ISSUANCE, [authority])])], {
    LoTESequenceNumber: sequence,
    ListIssueDateTime: time(issued),
    NextUpdate: time(nextUpdate ?? 100 * 86_400_000),
  })
}
