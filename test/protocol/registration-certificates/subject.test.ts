import { describe, expect, it } from 'vitest'
import { accessIdentifiers, bindingFault } from '../../../server/protocol/registration-certificates/subject.js'
import { makeCertificate } from '../issuer-keys/certificates.js'

const certificateOf = (subject: string) => makeCertificate({ subject }).certificate
const registered = (identifier: string, intermediary?: string) => ({
  subject: { identifier, name: 'Shop' },
  ...(intermediary === undefined ? {} : { intermediary: { identifier: intermediary } }),
})

describe('The tie between registration certificate and access certificate (TS 119 475 §4.5, §5.1.1)', () => {
  it('is the organizationIdentifier, or else the serialNumber', () => {
    expect(accessIdentifiers(certificateOf('C=DE/OI=LEIXG-1/SN=TINDE-2/Shop'))).toEqual(['LEIXG-1'])
    expect(accessIdentifiers(certificateOf('C=DE/SN=TINDE-2/Erika'))).toEqual(['TINDE-2'])
    expect(accessIdentifiers(certificateOf('C=DE/Shop'))).toEqual([])
  })

  it('is never a name', () => {
    const access = certificateOf('C=DE/OI=LEIXG-2/LEIXG-1')
    expect(bindingFault(registered('LEIXG-1'), access)).toEqual({
      check: 'other-subject',
      sentence: 'The registration certificate is registered for LEIXG-1, but the access certificate is for LEIXG-2.',
    })
  })

  it('is exact, and needs an identifier on both sides', () => {
    expect(bindingFault(registered('LEIXG-1'), certificateOf('OI=LEIXG-1/Shop'))).toBeUndefined()
    expect(bindingFault(registered('LEIXG-1'), certificateOf('OI=leixg-1/Shop'))).toMatchObject({
      check: 'other-subject',
    })
    expect(bindingFault(registered('TINDE-2'), certificateOf('OI=LEIXG-1/SN=TINDE-2/Shop'))).toMatchObject({
      check: 'other-subject',
    })
    for (const access of [certificateOf('OI=/Shop'), certificateOf('OI= /Shop'), certificateOf('Shop'), undefined]) {
      expect(bindingFault(registered('LEIXG-1'), access)?.sentence).toBe(
        'The registration certificate is registered for LEIXG-1, but the access certificate has neither an organizationIdentifier nor a serialNumber.',
      )
    }
  })

  it('is that of the intermediary, if the certificate names one (GEN-5.2.4-09)', () => {
    const content = registered('LEIXG-1', 'VATDE-9')
    expect(bindingFault(content, certificateOf('OI=VATDE-9/Broker'))).toBeUndefined()
    expect(bindingFault(content, certificateOf('OI=LEIXG-1/Shop'))).toEqual({
      check: 'other-subject',
      sentence:
        'The registration certificate names the intermediary VATDE-9, but the access certificate is for LEIXG-1.',
    })
  })
})
