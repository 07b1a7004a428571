import type { Config } from '../../../config/config.js'
import { nameOf } from '../../../pages/brand.js'
import { formActionOf } from '../../../pages/form-action.js'
import { type Html, html, spoken } from '../../../pages/html.js'
import { inLanguage, joined, type Spoken, spokenIn } from '../../../pages/languages.js'
import { page } from '../../../pages/page.js'
import { dateInWords, type Speech } from '../../../pages/speech.js'
import { typeTitle } from '../../../pages/words.js'
import type { ClaimPath } from '../../../protocol/json-schema/declared-claims.js'
import type { ProtocolReply } from '../../../protocol/oauth/reply.js'
import { claimTitles, namedValues, pathKey, type Titled } from '../../schemas/claims.js'
import type { ConsentContext } from '../offer-store.js'
import type { UsersAuthorization } from './authorization.js'
import type { FormPart } from './form-fields.js'
import { formFields, type SentForm } from './form-page.js'
import { isLocalAdmin } from './sign-in.js'

interface Row {
  readonly title: Spoken
  readonly value: Html
}

/** The form of an image in a claim, such as a portrait. The page shows the image. */
const IMAGE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z0-9+/=]+$/

function shownValue(value: unknown, title: string, inWords: Spoken | undefined, speech: Speech): Html {
  if (inWords !== undefined && typeof value !== 'boolean') return spoken(inWords)
  if (typeof value === 'string' && IMAGE.test(value)) return html`<img src="${value}" alt="${title}">`
  if (typeof value === 'boolean') return html`${speech.say(value ? 'value.yes' : 'value.no')}`
  return value === null || typeof value === 'object'
    ? html`<span class="none">${speech.say('value.none')}</span>`
    : html`${typeof value === 'string' ? dateInWords(value, speech) : String(value)}`
}

const titledBy = ({ schemaBody: body, schemaDisplay: display, schemaClaims: claims }: ConsentContext): Titled => ({
  body,
  display,
  claims,
})

/**
 * All claims of the subject in their order, each with the titles of its path and its value. A subject has at most 1,000 claims
 * (`issuance/subject.ts`).
 */
function rowsOf(context: ConsentContext, speech: Speech): Row[] {
  const type = titledBy(context)
  const titles = claimTitles(type, speech.languages)
  const wordsOf = namedValues(type)
  const walk = (value: unknown, path: ClaimPath, shown: readonly Spoken[]): Row[] => {
    const members = typeof value === 'object' && value !== null ? Object.entries(value) : []
    if (members.length > 0)
      return members.flatMap(([name, member]) => {
        const inner = [...path, Array.isArray(value) ? null : name]
        const title = Array.isArray(value)
          ? { text: String(Number(name) + 1) }
          : (titles.get(pathKey(inner)) ?? { text: name })
        return walk(member, inner, [...shown, title])
      })
    const title = joined(shown, ' › ')
    return path.length === 0 ? [] : [{ title, value: shownValue(value, title.text, wordsOf(path, value), speech) }]
  }
  return walk(context.credentialSubject, [], [])
}

const receiverOf = (redirectUri: string): string => {
  const { host, protocol } = new URL(redirectUri)
  return host === '' ? protocol.slice(0, -1) : host
}

const claimRow = ({ title, value }: Row): Html => html`<div><dt>${spoken(title)}</dt><dd>${value}</dd></div>`

/** The signed-in user, the wallet, and the wallet's address. */
function question({ request, provided, walletName }: UsersAuthorization, speech: Speech): Html {
  const wallet = walletName === undefined ? speech.say('consent.yourWallet') : html`<strong>${walletName}</strong>`
  const address = html`<strong>${receiverOf(request.redirectUri)}</strong>`
  const user =
    provided.name !== undefined &&
    html`<p>${speech.show('consent.signedInAs', { name: html`<strong>${provided.name}</strong>` })}</p>`
  return html`${user}<p>${speech.show('consent.asks', { wallet, address })}</p>`
}

/** The claims of the credential, or the form in which the person enters them. */
function content(context: ConsentContext, speech: Speech, form: ConsentForm | undefined): Html {
  if (form !== undefined) return html`<p>${speech.say('consent.enter')}</p>${formFields(form.parts, speech, form.sent)}`
  if (context.claimsAtIssuance) return html`<p>${speech.say('consent.claimsLater')}</p>`
  const rows = rowsOf(context, speech)
  const claims =
    rows.length === 0
      ? html`<p>${speech.say('consent.noClaims')}</p>`
      : html`<p>${speech.say('consent.contains')}</p><dl>${rows.map(claimRow)}</dl>`
  return html`${claims}${context.deferred && html`<p>${speech.say('consent.decidedLater')}</p>`}`
}

/** A form instead of known claims. */
export interface ConsentForm {
  readonly parts: readonly FormPart[]
  /** A sent form with unusable values. */
  readonly sent?: SentForm
}

/** The page on which a person decides whether a wallet gets a credential. It has two buttons and no script. */
export function consentPage(
  config: Pick<Config, 'authDisabled' | 'issuerBaseUrl' | 'signIn'>,
  authorization: UsersAuthorization,
  context: ConsentContext,
  token: string,
  speech: Speech,
  form?: ConsentForm,
): ProtocolReply {
  const { languages } = speech
  const { id, request } = authorization
  const { schemaName, schemaTitle, schemaDisplay } = context
  const { description, locale } = inLanguage(schemaDisplay ?? [], languages) ?? {}
  const credential = typeTitle({ name: schemaName, title: schemaTitle, display: schemaDisplay }, languages)
  const issuer = nameOf({ display: context.issuerDisplay }, config.issuerBaseUrl, speech)
  return page(config.issuerBaseUrl, {
    status: form?.sent === undefined ? 200 : 400,
    speech,
    title: speech.say(form?.sent === undefined ? 'consent.title' : 'consent.titleWithProblems', {
      credential: credential.text,
    }),
    formAction: formActionOf(request.redirectUri),
    body: html`
${isLocalAdmin(config) && html`<p class="banner" role="note">${speech.say('consent.loginOff')}</p>`}
<p class="from">${issuer}</p>
<h1>${spoken(credential)}</h1>
${description !== undefined && html`<p class="about">${spoken(spokenIn(description, locale))}</p>`}
${question(authorization, speech)}
<form method="post" action="${config.issuerBaseUrl}/openid4vci/authorize/${id}">
<input type="hidden" name="token" value="${token}">
${content(context, speech, form)}
<div class="buttons">
<button name="decision" value="accept" class="primary">${speech.say('consent.accept')}</button>
<button name="decision" value="decline" formnovalidate>${speech.say('consent.decline')}</button>
</div>
</form>`,
  })
}
