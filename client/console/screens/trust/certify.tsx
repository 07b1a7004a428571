import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { FormProvider } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { certifySigner, requestCertificate, type SignerKind, type Signing } from '../../queries/trust.js'
import { useTexts } from '../../texts/use-texts.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Field } from '../../ui/field.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { ProblemNote } from '../../ui/problem-note.js'
import type { CertifyForm } from './certify-form.js'
import { SendRequestOfIssuer, SigningChoice } from './signing-choice.js'

interface Props {
  readonly kind: SignerKind
  readonly id: string
  /** The documents that the key of an issuer signs now. The key of a verifier signs every request. */
  readonly signing: Signing
  /** Whether the key has a certificate. */
  readonly isCertified: boolean
}

/**
 * Instructions for a certificate of the user's issuer or verifier record. They contain the certificate request for an
 * authority, and the field for the certificate. For an issuer, they begin with the choice of the documents that the key signs.
 */
export function Certify({ kind, id, signing, isCertified }: Props) {
  const { trust: words, form: formWords } = useTexts()
  const client = useQueryClient()
  const [others, setOthers] = useState<readonly string[]>([])
  const kept = useKeptForm<CertifyForm, Signing>(`trust/certificate/${id}`, signing, (now) => ({
    chain: '',
    signing: now,
  }))
  const { form } = kept
  const chosen = form.watch('signing')
  const certifying = useMutation({
    mutationFn: (draft: CertifyForm) => certifySigner(kind, id, draft),
    onSuccess: async (_, draft) => {
      kept.beginWith(draft.signing)
      await client.invalidateQueries({ queryKey: ['trust'] })
    },
    onError: (error) => {
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) =>
        path === 'chain' ? path : undefined,
      )
      setOthers(rest)
      const message = byField.get('chain')
      if (message !== undefined) form.setError('chain', { message }, { shouldFocus: true })
    },
  })
  /** After the choice is stored, it is the beginning of the form. A certificate that the user pasted stays. */
  const onSaved = (saved: Signing) => {
    const { chain } = form.getValues()
    kept.beginWith(saved)
    if (chain !== '') form.setValue('chain', chain)
  }
  return (
    <FormProvider {...form}>
      <form noValidate onSubmit={(event) => void form.handleSubmit((draft) => certifying.mutate(draft))(event)}>
        <Restored {...kept} />
        <ol className="steps">
          {kind === 'issuer' && (
            <li>
              <SigningChoice id={id} signing={signing} isCertified={isCertified} onSaved={onSaved} />
            </li>
          )}
          <li>
            <CertificateRequest key={chosen} kind={kind} id={id} signing={chosen} />
          </li>
          <li>{kind === 'issuer' ? <SendRequestOfIssuer signing={chosen} /> : words.sendRequest}</li>
          <li>
            <div className="fields">
              {certifying.isError && <ProblemNote error={certifying.error} messages={others} />}
              <Field label={words.chain} hint={words.chainHint} required error={form.formState.errors.chain?.message}>
                {(control) => (
                  <textarea
                    {...control}
                    {...form.register('chain', { required: formWords.required })}
                    className="pem"
                    rows={6}
                    spellCheck={false}
                    autoComplete="off"
                    placeholder="-----BEGIN CERTIFICATE-----"
                  />
                )}
              </Field>
              <p className="row">
                <button type="submit" className="primary" disabled={certifying.isPending}>
                  {words.useCertificate}
                </button>
                <span role="status" className="good">
                  {certifying.isSuccess && words.certified}
                </span>
              </p>
            </div>
          </li>
        </ol>
      </form>
    </FormProvider>
  )
}

interface RequestProps {
  readonly kind: SignerKind
  readonly id: string
  /** The documents that the key will sign. The request asks for a fitting certificate. */
  readonly signing: Signing
}

function CertificateRequest({ kind, id, signing }: RequestProps) {
  const { trust: words } = useTexts()
  const asking = useMutation({ mutationFn: () => requestCertificate(kind, id, signing) })
  const request = asking.data
  const download = (text: string) => {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/pkcs10' }))
    const link = document.createElement('a')
    link.href = address
    link.download = `${kind}.csr`
    link.click()
    URL.revokeObjectURL(address)
  }
  return (
    <div className="fields">
      <p>{words.requestIntro}</p>
      {asking.isError && <ProblemNote error={asking.error} />}
      {request === undefined ? (
        <p>
          <button type="button" disabled={asking.isPending} onClick={() => asking.mutate()}>
            {words.showRequest}
          </button>
        </p>
      ) : (
        <>
          <Field label={words.request} required>
            {(control) => <textarea {...control} className="pem" rows={9} readOnly value={request} />}
          </Field>
          <p className="row">
            <button type="button" onClick={() => download(request)}>
              {words.downloadRequest}
            </button>
            <CopyButton value={request} what={words.request} />
          </p>
        </>
      )}
    </div>
  )
}
