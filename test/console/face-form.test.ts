import { describe, expect, it } from 'vitest'
import { changeOf, type Face, faceField, formOf, NO_LOGO } from '../../client/console/screens/trust/face-form.js'
import { zDisplayEntry } from '../../server/agent/agent.contract.js'
import { zBranding } from '../../server/agent/branding.js'
import { zLogo } from '../../server/images/image-reference.js'

/** A record that uses every member that the service has. */
const FULL: Face = {
  display: [
    {
      name: 'Shop',
      locale: 'en',
      logo: { uri: 'https://shop.example/logo.png', 'uri#integrity': `sha256-${'A'.repeat(43)}=`, alt_text: 'A shop' },
    },
    { name: 'Laden', locale: 'de' },
    { name: 'Sans langue' },
  ],
  branding: {
    backgroundColor: '#112233',
    textColor: '#ffffff',
    contact: { email: 'help@shop.example', phone: '+49 30 1234567', url: 'https://shop.example/help' },
    privacyUri: 'https://shop.example/privacy',
    imprintUri: 'https://shop.example/imprint',
    termsUri: 'https://shop.example/terms',
  },
}

describe('the form of a record’s name and branding', () => {
  it('keeps every member of the contract', () => {
    const { before: _before, brandingBefore: _brandingBefore, ...sent } = changeOf(formOf(FULL), FULL)
    expect(sent).toEqual({ display: FULL.display, branding: FULL.branding })
    // A new member of the contract fails here until the form keeps it. `image` is the other way to name an image.
    expect(Object.keys(FULL.branding ?? {}).sort()).toEqual(Object.keys(zBranding.shape).sort())
    expect(Object.keys(FULL.branding?.contact ?? {}).sort()).toEqual(['email', 'phone', 'url'])
    expect(Object.keys(FULL.display[0] ?? {}).sort()).toEqual(Object.keys(zDisplayEntry.shape).sort())
    const logo = Object.keys(zLogo.shape).filter((name) => name !== 'image')
    expect(Object.keys(FULL.display[0]?.logo ?? {}).sort()).toEqual(logo.sort())
  })

  it('sends what the user read, so that the service sees a change of another user', () => {
    expect(changeOf({ ...formOf(FULL), email: '' }, FULL)).toMatchObject({
      before: FULL.display,
      brandingBefore: FULL.branding,
      branding: { contact: { phone: '+49 30 1234567' } },
    })
  })

  it('sends an uploaded image by its id, and leaves a record without branding as it is', () => {
    const id = '0a'.repeat(32)
    const form = formOf({ display: [] })
    const names = [{ ...NO_LOGO, name: ' Shop ', locale: '', logo: id }]
    expect(changeOf({ ...form, names }, { display: [] })).toEqual({
      before: [],
      display: [{ name: 'Shop', logo: { image: id } }],
    })
  })

  it('a cleared branding is sent as empty', () => {
    const empty = { ...formOf({ display: [] }), names: [] }
    expect(changeOf(empty, FULL)).toMatchObject({ display: [], branding: {} })
  })

  it('shows a message of the service at its field', () => {
    const form = { ...formOf(FULL), names: [{ ...NO_LOGO, name: ' ', locale: '' }, ...formOf(FULL).names] }
    expect(faceField('display.0.logo', form)).toBe('names.1.logo')
    expect(faceField('display.0.logo.uri#integrity', form)).toBe('names.1.logoIntegrity')
    expect(faceField('branding.textColor', form)).toBe('textColor')
    expect(faceField('branding.contact.phone', form)).toBe('phone')
    expect(faceField('branding', form)).toBeUndefined()
  })
})
