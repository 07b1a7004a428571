import { type CardDisplay, type CardState, cardLook, isRefused } from '../../../server/protocol/credential-card/look.js'
import { serviceAddress } from '../address.js'
import { useTexts } from '../texts/use-texts.js'

export interface FaceProps {
  readonly title: string
  /** The language of the title, if it is not the console's language. */
  readonly titleLang?: string | undefined
  readonly issuer?: string | undefined
  /** The display entry in the reader's language. */
  readonly display?: CardDisplay | undefined
  readonly state?: CardState | undefined
}

/** An image that cannot be loaded is hidden: the card then looks as if it had none. */
const hide = ({ currentTarget }: { readonly currentTarget: HTMLImageElement }) => {
  currentTarget.hidden = true
}

/**
 * The face of a credential card. The pages for people write the same elements (`server/pages/credential-card.ts`), and both use the
 * classes of `server/protocol/credential-card/styles.ts`.
 */
export function CredentialFace({ title, titleLang, issuer, display, state }: FaceProps) {
  const { wallets: words } = useTexts()
  const { background, text, ground, logo } = cardLook(display, serviceAddress)
  return (
    <div className="credential-face" style={{ backgroundColor: background, color: text }}>
      {ground !== undefined && <img key={ground} className="credential-ground" src={ground} alt="" onError={hide} />}
      <div className="credential-top">
        {logo !== undefined && (
          <img key={logo.src} className="credential-logo" src={logo.src} alt={logo.alt} onError={hide} />
        )}
        {state !== undefined && (
          <span className={isRefused(state) ? 'credential-state refused' : 'credential-state'}>
            {words.statuses[state]}
          </span>
        )}
      </div>
      <p className="credential-text">
        <strong className="credential-name">
          {titleLang === undefined ? title : <span lang={titleLang}>{title}</span>}
        </strong>
        {issuer !== undefined && <span className="credential-issuer">{issuer}</span>}
      </p>
    </div>
  )
}
