import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormProvider } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { makeSigner, type SignerKind } from '../../queries/trust.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { NameRows, type NamesForm } from '../../ui/name-rows.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Screen } from '../../ui/screen.js'
import { displayOf, nameField } from './names.js'

interface SignerForm extends NamesForm {
  method: 'key' | 'web'
}

export function NewIssuer() {
  const { trust: words } = useTexts()
  return (
    <Screen title={words.newIssuer} intro={words.newIssuerIntro}>
      <NewSigner kind="issuer" />
    </Screen>
  )
}

export function NewVerifier() {
  const { trust: words } = useTexts()
  return (
    <Screen title={words.newVerifier} intro={words.newVerifierIntro}>
      <NewSigner kind="verifier" />
    </Screen>
  )
}

/** A form that creates an issuer or verifier record with its own key and DID. */
function NewSigner({ kind }: { readonly kind: SignerKind }) {
  const { language, texts } = useSpoken()
  const { trust: words } = texts
  const client = useQueryClient()
  const navigate = useNavigate()
  const kept = useKeptForm<SignerForm, string>(`trust/new-${kind}`, language, (locale) => ({
    method: 'web',
    names: [{ name: '', locale }],
  }))
  const { form } = kept
  const [others, setOthers] = useState<readonly string[]>([])
  const making = useMutation({
    mutationFn: ({ method, names }: SignerForm) => makeSigner(kind, { method, display: displayOf(names) }),
    onSuccess: async ({ id }) => {
      kept.done()
      await Promise.all(['trust', 'agent'].map((subject) => client.invalidateQueries({ queryKey: [subject] })))
      if (kind === 'issuer') await navigate({ to: '/trust/issuers/$id', params: { id } })
      else await navigate({ to: '/trust/verifiers/$id', params: { id } })
    },
    onError: (error) => {
      const { names } = form.getValues()
      const { byField, others: rest } = sortMessages(problemOf(error).messages, (path) => nameField(path, names))
      setOthers(rest)
      // `nameField` returns only names of fields.
      for (const [field, message] of byField) form.setError(field as 'names.0.name', { message }, { shouldFocus: true })
    },
  })
  return (
    <FormProvider {...form}>
      <form
        className="fields narrow"
        noValidate
        onSubmit={(event) => void form.handleSubmit((draft) => making.mutate(draft))(event)}
      >
        <Restored {...kept} />
        {making.isError && <ProblemNote error={making.error} messages={others} />}
        <Panel title={words.names}>
          <NameRows legend={words.shownTo} />
        </Panel>
        <Panel title={words.didMethod} intro={words.didMethodIntro}>
          <fieldset className="bare">
            <legend className="hidden">{words.didMethod}</legend>
            <Check type="radio" value="web" {...form.register('method')}>
              {words.didWeb} <span className="soft">{words.didWebHint}</span>
            </Check>
            <Check type="radio" value="key" {...form.register('method')}>
              {words.didKey} <span className="soft">{words.didKeyHint}</span>
            </Check>
          </fieldset>
        </Panel>
        <p>
          <button type="submit" className="primary" disabled={making.isPending}>
            {kind === 'issuer' ? words.makeIssuer : words.makeVerifier}
          </button>
        </p>
      </form>
    </FormProvider>
  )
}
