import { useTexts } from '../../texts/use-texts.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Dialog } from '../../ui/dialog.js'

interface Props {
  readonly secret: string
  readonly onClose: () => void
}

/** Shows a secret once. The console does not keep it. */
export function SecretDialog({ secret, onClose }: Props) {
  const { webhooks: words, common } = useTexts()
  return (
    <Dialog title={words.secret} onClose={onClose}>
      <p>{words.secretOnce}</p>
      <p className="row">
        <code className="sentence">{secret}</code>
        <CopyButton value={secret} what={words.secret} />
      </p>
      <button type="button" className="primary" onClick={onClose}>
        {common.close}
      </button>
    </Dialog>
  )
}
