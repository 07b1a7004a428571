import { describe, expect, it } from 'vitest'
import { askables, readable } from '../../client/console/screens/requests/askable.js'
import { dcqlOf, isMoreThanVpQuery, valuesOf, vpQueryOf } from '../../client/console/screens/requests/queries-of.js'
import {
  type CredentialDraft,
  draftOf,
  fieldOfPath,
  requestDefaults,
  requestOf,
} from '../../client/console/screens/requests/request-form.js'
import { summaryOf } from '../../client/console/screens/requests/summary.js'
import { zDcqlQuery } from '../../server/formats/contract.js'
import { standardFormats } from '../../server/formats/registry.js'
import { compileVpQuery, zVpQuery } from '../../server/protocol/openid4vp/query/vp-query.js'
import { requestWork } from '../protocol/request-work.js'

const VCT = 'https://issuer.example/vct/Pass'
const NAMESPACE = 'org.iso.18013.5.1'
const types = askables({
  'Pass-mdoc': {
    format: 'mso_mdoc',
    doctype: 'org.example.pass',
    credential_metadata: { claims: [{ path: [NAMESPACE, 'family_name'] }] },
  },
  Pass: {
    format: 'jwt_vc_json',
    credential_definition: { type: ['VerifiableCredential', 'Pass'] },
    credential_metadata: { claims: [{ path: ['credentialSubject', 'address', 'city'] }] },
  },
  'Pass-sd-jwt': {
    format: 'dc+sd-jwt',
    vct: VCT,
    credential_metadata: { claims: [{ path: ['name'] }, { path: ['nationalities', null] }] },
  },
  'Pass-sd-jwt-legacy': { format: 'vc+sd-jwt', vct: VCT },
})
const [sdJwt, jwtVc, mdoc] = types.map(draftOf)

/** Returns the draft with all claims requested. `values` are the accepted values of the first claim. */
const asking = (draft: CredentialDraft | undefined, values = ''): CredentialDraft => {
  if (draft === undefined) throw new Error('There is no such type.')
  return {
    ...draft,
    known: draft.known.map((claim, at) => ({ ...claim, asked: true, values: at === 0 ? values : '' })),
  }
}
const formOf = (...credentials: CredentialDraft[]) => ({ ...requestDefaults(undefined), credentials })

describe('types that can be asked for', () => {
  it('are the types of the metadata in current formats, SD-JWT VC first', () => {
    expect(types.map(({ format, type }) => `${format} ${type}`)).toEqual([
      `dc+sd-jwt ${VCT}`,
      'jwt_vc_json Pass',
      'mso_mdoc org.example.pass',
    ])
    expect(types.flatMap(({ claims, format }) => claims.map(({ path }) => readable(path, format)))).toEqual([
      'name',
      'nationalities.*',
      'address.city',
      'family_name',
    ])
  })
})

describe('the DCQL query of a form (OpenID4VP 1.0 §6)', () => {
  it('names types and claims as each format does, and the service accepts the query', () => {
    const query = dcqlOf(formOf(asking(sdJwt, 'Ada, "7", 7, true'), asking(jwtVc), { ...asking(mdoc), retain: true }))
    expect(zDcqlQuery(standardFormats).parse(query)).toEqual({
      credentials: [
        {
          id: 'Pass',
          format: 'dc+sd-jwt',
          meta: { vct_values: [VCT] },
          claims: [{ path: ['name'], values: ['Ada', '7', 7, true] }, { path: ['nationalities', null] }],
        },
        {
          id: 'Pass_2',
          format: 'jwt_vc_json',
          meta: { type_values: [['Pass']] },
          claims: [{ path: ['credentialSubject', 'address', 'city'] }],
        },
        {
          id: 'pass',
          format: 'mso_mdoc',
          meta: { doctype_value: 'org.example.pass' },
          claims: [{ path: [NAMESPACE, 'family_name'], intent_to_retain: true }],
        },
      ],
    })
  })

  it('has a set for required credentials, one for the alternatives, and one for each optional credential', () => {
    const drafts = (['required', 'alternative', 'alternative', 'optional'] as const).map((need) => ({
      ...asking(sdJwt),
      need,
    }))
    expect(dcqlOf(formOf(...drafts)).credential_sets).toEqual([
      { options: [['Pass']] },
      { options: [['Pass_2'], ['Pass_3']] },
      { options: [['Pass_4']], required: false },
    ])
    expect(dcqlOf(formOf(asking(sdJwt), asking(jwtVc)))).not.toHaveProperty('credential_sets')
  })

  it('accepts typed claims: with dots, positions and every element', () => {
    const written = [
      { namespace: '', name: 'degrees.*.name', values: '' },
      { namespace: '', name: ' ', values: 'x' },
    ]
    const draft = { ...draftOf(undefined), format: 'jwt_vc_json' as const, type: ' Degree ', written }
    expect(dcqlOf(formOf(draft)).credentials).toEqual([
      {
        id: '_Degree_',
        format: 'jwt_vc_json',
        meta: { type_values: [['Degree']] },
        claims: [{ path: ['credentialSubject', 'degrees', null, 'name'] }],
      },
    ])
  })
})

it.each([
  ['gold, silver', ['gold', 'silver']],
  ['"a, b", "say \\"x\\""', ['a, b', 'say "x"']],
  ['-3, 1.5, false, , ', [-3, '1.5', false]],
  ['', []],
])('values %j are %j', (text, values) => {
  expect(valuesOf(text)).toEqual(values)
})

describe('the VP query of a form', () => {
  it('is a query that the service compiles, with a short description', () => {
    const foreign = { ...draftOf(undefined), type: 'urn:eudi:pid:1' }
    const items = vpQueryOf(formOf(asking(sdJwt, 'Ada'), asking(jwtVc), asking(mdoc), foreign))
    expect(() => compileVpQuery(zVpQuery.parse(items), requestWork())).not.toThrow()
    expect(items.map(summaryOf)).toEqual([
      { types: ['Pass'], claims: ['name', 'nationalities[*]'] },
      { types: ['Pass'], claims: ['address.city'] },
      { types: ['org.example.pass'], claims: ['family_name'] },
      { types: ['urn:eudi:pid:1'], claims: [] },
    ])
    expect(items[0]?.fields[1]).toEqual({ path: ['$.credentialSubject.name'], filter: { enum: ['Ada'] } })
  })

  it('contains everything except members of one request', () => {
    const form = formOf(asking(sdJwt))
    expect(isMoreThanVpQuery(form)).toBe(false)
    expect(isMoreThanVpQuery({ ...form, trust: 'own' })).toBe(true)
    expect(isMoreThanVpQuery(formOf({ ...asking(sdJwt), need: 'optional' }))).toBe(true)
  })
})

describe('the call that a form makes', () => {
  const transactions = [
    {
      type: 'payment',
      members: [
        { name: 'amount', value: '12 EUR' },
        { name: '', value: 'x' },
      ],
    },
  ]
  const form = { ...formOf(asking(jwtVc), asking(sdJwt)), transactions, trust: 'listed' as const, trusted: ' x5c\n\n*' }

  it('has transaction data for the SD-JWT VCs (OpenID4VP 1.0 Appendix B.3.3), and the listed issuers', () => {
    expect(requestOf(form, dcqlOf(form))).toMatchObject({
      validity: 300,
      trustedIssuers: ['x5c', '*'],
      transactionData: [{ type: 'payment', credential_ids: ['Pass_2'], amount: '12 EUR' }],
    })
  })

  it.each([
    ['trustedIssuers.0', 'trusted'],
    ['transactionData.0.type', 'transactions.0.type'],
    ['dcqlQuery.credentials.1.meta.vct_values.0', 'credentials.1.configuration'],
    ['query.0.fields.1.path.0', 'credentials.0.configuration'],
    ['query', undefined],
    ['dcqlQuery.credentials.7.id', undefined],
  ])('a message about %s appears at %s', (path, field) => {
    expect(fieldOfPath(path, form)).toBe(field)
  })
})
