import { describe, expect, it } from 'vitest'
import { subjectAlternativeNames } from '../../../server/protocol/issuer-keys/subject-alternative-name.js'

const namesOf = (subjectAltName: string | undefined) => subjectAlternativeNames({ subjectAltName })

describe('subjectAlternativeNames (RFC 5280 §4.2.1.6)', () => {
  it('reads DNS names in lower case, and URIs, among entries of other kinds', () => {
    const text =
      'DNS:Issuer.example, IP Address:10.0.0.1, email:a@b.c, othername:<unsupported>, URI:did:web:issuer.example'
    expect(namesOf(text)).toEqual({ dns: ['issuer.example'], uri: ['did:web:issuer.example'] })
  })

  it('reads a value with a comma or quotation mark as one value', () => {
    expect(namesOf('URI:"https://a.example/x, DNS:issuer.example", DNS:a.example')).toEqual({
      dns: ['a.example'],
      uri: ['https://a.example/x, DNS:issuer.example'],
    })
    expect(namesOf(String.raw`DNS:"a\", DNS:issuer.example"`)).toEqual({ dns: ['a", dns:issuer.example'], uri: [] })
  })

  it.each([
    ['an open quotation', 'DNS:issuer.example, URI:"https://a.example'],
    ['text behind a quotation', 'DNS:issuer.example, URI:"a"b'],
    ['a quotation mark inside', 'DNS:issuer.example, URI:a"b"'],
    ['a comma without a space', 'DNS:issuer.example,URI:a'],
    ['no type', 'DNS:issuer.example, a'],
  ])('reads no name from a list with %s', (_, text) => {
    expect(namesOf(text)).toEqual({ dns: [], uri: [] })
  })

  it('is empty if the certificate has no names', () => {
    expect(namesOf(undefined)).toEqual({ dns: [], uri: [] })
  })
})
