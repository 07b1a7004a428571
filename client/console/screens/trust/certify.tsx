import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { problemOf, sortMessages } from '../../problems.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { CopyButton } from '../../ui/copy-button.js'
import { Field } from '../../ui/field.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly id: string
}

/**
 * Instructions for a certificate of the user's verifier record. They contain the certificate request for an authority,
 * and a form for the certificate.
 */
export function Certify({ id }: Props) {
  const { trust: words } = useTexts()
  return (
    <ol className="steps">
      <li>
        <CertificateRequest id={id} />
      </li>
      <li>{words.sendRequest}</li>
      <li>
        <CertificateForm id={id} />
      </li>
    </ol>
  )
}

function CertificateRequest({ id }: Props) {
  const { trust: words } = useTexts()
  const asking = useMutation({ mutationFn: () => credence.agent.requestVerifierCertificate.query({ id }) })
  const request = asking.data?.certificateRequest
  const download = (text: string) => {
    const address = URL.createObjectURL(new Blob([text], { type: 'application/pkcs10' }))
    const link = document.createElement('a')
    link.href = address
    link.download = 'verifier.csr'
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

function CertificateForm({ id }: Props) {
  const { trust: words, form: formWords } = useTexts()
  const client = useQueryClient()
  const [others, setOthers] = useState<readonly string[]>([])
  const kept = useKeptForm(`trust/certificate/${id}`, undefined, () => ({ chain: '' }))
  const { form } = kept
  const certifying = useMutation({
    mutationFn: ({ chain }: { chain: string }) => credence.agent.certifyVerifier.mutate({ id, chain }),
    onSuccess: async () => {
      kept.startAnew()
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
  return (
    <form
      className="fields"
      noValidate
      onSubmit={(event) => void form.handleSubmit((draft) => certifying.mutate(draft))(event)}
    >
      <Restored {...kept} />
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
    </form>
  )
}
