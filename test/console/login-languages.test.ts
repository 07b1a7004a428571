import { describe, expect, it } from 'vitest'
import { loginPage, noRolePage } from '../../server/console/pages.js'
import type { Asking } from '../../server/pages/speech.js'

const CONFIG = {
  issuerBaseUrl: 'https://issuer.example',
  adminRole: 'admin',
  issuerRole: 'clerk',
  verifierRole: undefined,
  signIn: undefined,
}

const asking = (language: string, cookie?: string): Asking => ({ headers: { 'accept-language': language, cookie } })

const bodyOf = ({ body }: { readonly body?: unknown }) => String(body)

describe('the pages about a login of the console', () => {
  it.each([
    ['en-GB', 'en', 'You are not logged in', 'Log in again'],
    ['de-AT, en;q=0.5', 'de', 'Sie sind nicht angemeldet', 'Noch einmal anmelden'],
    ['fr', 'fr', 'Vous n’êtes pas connecté', 'Se connecter à nouveau'],
    ['es', 'es', 'No ha iniciado sesión', 'Iniciar sesión de nuevo'],
    ['it', 'it', 'Non hai effettuato l’accesso', 'Accedi di nuovo'],
  ])('speak the language of %s', (language, lang, title, again) => {
    const body = bodyOf(loginPage(CONFIG, asking(language), 'refused'))
    expect(body).toContain(`<html lang="${lang}" dir="ltr">`)
    expect(body).toContain(`<h1>${title}</h1>`)
    expect(body).toContain(again)
  })

  it.each([
    ['pl, tlh', 'en'],
    ['pl, it;q=0.5', 'it'],
    ['', 'en'],
  ])('for a reader of %j they are in %s', (language, lang) => {
    expect(bodyOf(loginPage(CONFIG, asking(language), 'failed'))).toContain(`<html lang="${lang}"`)
  })

  it('speak the language that the reader chose on another page', () => {
    expect(bodyOf(loginPage(CONFIG, asking('en', '__Host-language=fr'), 'failed'))).toContain('<html lang="fr"')
  })

  it.each(['en', 'de', 'fr', 'es', 'it'])('in %s name the user and the roles, and leave no placeholder', (language) => {
    const body = bodyOf(noRolePage(CONFIG, asking(language), '<Ada>'))
    expect(body).toContain('<b>&lt;Ada&gt;</b>')
    expect(body).toContain('<code>admin</code>')
    expect(body).toContain('<code>clerk</code>')
    expect(body).not.toMatch(/\{\w+\}|undefined/)
    expect(bodyOf(noRolePage(CONFIG, asking(language), undefined))).not.toMatch(/\{\w+\}|undefined/)
  })
})
