import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId } from 'react'
import { useFormContext } from 'react-hook-form'
import { changeSigning, type Signing } from '../../queries/trust.js'
import { useSigningKeyTexts } from '../../texts/signing-keys/use-signing-key-texts.js'
import { Check } from '../../ui/check.js'
import { ProblemNote } from '../../ui/problem-note.js'
import type { CertifyForm } from './certify-form.js'

interface Props {
  readonly id: string
  /** The documents that the key signs now. */
  readonly signing: Signing
  /** Whether the key has a certificate. A certificate fits only one choice, so it must be replaced together with the choice. */
  readonly isCertified: boolean
  readonly onSaved: (signing: Signing) => void
}

/** The choice of the documents that the key of an issuer signs. Without a certificate the choice can be stored at once. */
export function SigningChoice({ id, signing, isCertified, onSaved }: Props) {
  const { choice: words, certify } = useSigningKeyTexts()
  const client = useQueryClient()
  const title = useId()
  const { register, watch } = useFormContext<CertifyForm>()
  const chosen = watch('signing')
  const saving = useMutation({
    mutationFn: () => changeSigning(id, chosen),
    onSuccess: async (saved) => {
      onSaved(saved)
      await client.invalidateQueries({ queryKey: ['trust'] })
    },
  })
  return (
    <div className="fields">
      {/* The number of the step stands beside a paragraph, but not beside a legend. */}
      <p id={title}>
        <strong>{words.signing}</strong>
      </p>
      <fieldset className="bare" aria-labelledby={title}>
        <Check type="radio" value="every" {...register('signing')}>
          {words.every} <span className="soft">{words.everyHint}</span>
        </Check>
        <Check type="radio" value="delegated" {...register('signing')}>
          {words.delegated} <span className="soft">{words.delegatedHint}</span>
        </Check>
      </fieldset>
      {saving.isError && <ProblemNote error={saving.error} />}
      {chosen !== signing && isCertified && <p className="soft">{certify.withCertificate}</p>}
      <p className="row">
        {chosen !== signing && !isCertified && (
          <button type="button" disabled={saving.isPending} onClick={() => saving.mutate()}>
            {certify.save}
          </button>
        )}
        <span role="status" className="good">
          {saving.isSuccess && chosen === signing && certify.saved}
        </span>
      </p>
    </div>
  )
}

/** Names the kind of certificate that the authority must make for the choice. */
export function SendRequestOfIssuer({ signing }: { readonly signing: Signing }) {
  const { certify: words } = useSigningKeyTexts()
  return <>{words.send[signing]}</>
}
