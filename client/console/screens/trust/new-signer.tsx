import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { FormProvider, type UseFormReturn } from 'react-hook-form'
import { problemOf, sortMessages } from '../../problems.js'
import { DATABASE, type KeyAlgorithm, keyProviders } from '../../queries/signing-keys.js'
import { makeSigner, type SignerKind } from '../../queries/trust.js'
import { useSigningKeyTexts } from '../../texts/signing-keys/use-signing-key-texts.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Check } from '../../ui/check.js'
import { Restored } from '../../ui/kept/restored.js'
import { useKeptForm } from '../../ui/kept/use-kept.js'
import { NameRows, type NamesForm } from '../../ui/name-rows.js'
import { Panel } from '../../ui/panel.js'
import { ProblemNote } from '../../ui/problem-note.js'
import { Screen } from '../../ui/screen.js'
import { KeyChoice } from './keys/key-choice.js'
import { displayOf, nameField } from './names.js'

interface SignerForm extends NamesForm {
  method: 'key' | 'web'
  place: string
  algorithm: KeyAlgorithm
  signing: 'every' | 'delegated'
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

/** The fields of the key, by the members of the request. */
const KEY_FIELDS: Readonly<Record<string, 'place' | 'algorithm' | 'signing'>> = {
  keyProvider: 'place',
  algorithm: 'algorithm',
  signing: 'signing',
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
    place: DATABASE,
    algorithm: 'ES256',
    signing: 'every',
  }))
  const { form } = kept
  const [others, setOthers] = useState<readonly string[]>([])
  const making = useMutation({
    mutationFn: ({ method, names, place, algorithm, signing }: SignerForm) =>
      makeSigner(kind, { method, keyProvider: place, algorithm, signing, display: displayOf(names) }),
    onSuccess: async ({ id }) => {
      kept.done()
      await Promise.all(['trust', 'agent'].map((subject) => client.invalidateQueries({ queryKey: [subject] })))
      if (kind === 'issuer') await navigate({ to: '/trust/issuers/$id', params: { id } })
      else await navigate({ to: '/trust/verifiers/$id', params: { id } })
    },
    onError: (error) => {
      const { names } = form.getValues()
      const { byField, others: rest } = sortMessages(
        problemOf(error).messages,
        (path) => KEY_FIELDS[path] ?? nameField(path, names),
      )
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
        <NewKey kind={kind} form={form} />
        <p>
          <button type="submit" className="primary" disabled={making.isPending}>
            {kind === 'issuer' ? words.makeIssuer : words.makeVerifier}
          </button>
        </p>
      </form>
    </FormProvider>
  )
}

interface NewKeyProps {
  readonly kind: SignerKind
  readonly form: UseFormReturn<SignerForm>
}

/** The place and the algorithm of the record's key; for an issuer also what the key signs. */
function NewKey({ kind, form }: NewKeyProps) {
  const { choice: words } = useSigningKeyTexts()
  const providers = useQuery(keyProviders).data ?? []
  const [place, algorithm] = form.watch(['place', 'algorithm'])
  const { errors } = form.formState
  return (
    <Panel title={words.title} intro={words.intro}>
      <div className="fields">
        <KeyChoice
          labels={{
            place: words.place,
            placeHint: words.placeHint,
            algorithm: words.algorithm,
            algorithmHint: words.algorithmHint,
          }}
          places={[DATABASE, ...providers.map(({ name }) => name)]}
          providers={providers}
          wish={{ place, algorithm }}
          onWish={(wish) => {
            form.setValue('place', wish.place, { shouldDirty: true })
            form.setValue('algorithm', wish.algorithm, { shouldDirty: true })
            form.clearErrors(['place', 'algorithm'])
          }}
          errors={{ place: errors.place?.message, algorithm: errors.algorithm?.message }}
        />
        {kind === 'issuer' && (
          <fieldset className="bare">
            <legend>{words.signing}</legend>
            <Check type="radio" value="every" {...form.register('signing')}>
              {words.every} <span className="soft">{words.everyHint}</span>
            </Check>
            <Check type="radio" value="delegated" {...form.register('signing')}>
              {words.delegated} <span className="soft">{words.delegatedHint}</span>
            </Check>
          </fieldset>
        )}
      </div>
    </Panel>
  )
}
