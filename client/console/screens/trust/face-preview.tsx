import { useFormContext, useWatch } from 'react-hook-form'
import { isHexColour, readableOn } from '../../../../server/protocol/colour.js'
import type { ListedSigner } from '../../queries/trust.js'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { useSpoken } from '../../texts/use-texts.js'
import { entryFor } from '../../ui/display-name.js'
import { shownAddress } from '../../ui/image-address.js'
import { nameOfRecord } from '../../ui/party-names.js'
import { type FaceForm, sentNames } from './face-form.js'

const LINKS = ['url', 'privacyUri', 'termsUri', 'imprintUri'] as const

/** The head and the links of the share pages with the values of the form. The server draws them in the same way (`pages/brand.ts`). */
export function FacePreview({ signer }: { readonly signer: Pick<ListedSigner, 'did'> }) {
  const { face: words } = useFaceTexts()
  const { language } = useSpoken()
  const { control } = useFormContext<FaceForm>()
  const values = useWatch({ control }) as FaceForm // The form has a default for each value.
  const names = sentNames(values.names).map(({ locale, ...name }) => ({ ...name, locale: locale.trim() || undefined }))
  const shown = entryFor(names, language)
  const logo = shown?.logo.trim() ?? ''
  // Share pages show only images of this service.
  const address = logo.startsWith('data:') ? undefined : shownAddress(logo)
  const [ground, text] = [values.backgroundColor.trim(), values.textColor.trim()]
  const style = isHexColour(ground)
    ? { background: ground, color: readableOn(ground, isHexColour(text) ? text : undefined) }
    : undefined
  const links = LINKS.filter((name) => values[name].trim() !== '').map((name) => words.previewLinks[name])
  const contact = [values.email, values.phone].map((each) => each.trim()).filter((each) => each !== '')
  return (
    <figure className="face-preview">
      <figcaption className="label">{words.preview}</figcaption>
      <div className="face-mark" style={style}>
        {address !== undefined && <img src={address} alt="" />}
        <strong lang={shown?.locale}>{nameOfRecord({ did: signer.did, display: names }, language)}</strong>
      </div>
      <p className="soft">{[...contact, ...links].join(' · ')}</p>
    </figure>
  )
}
