import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useEffect, useRef, useState } from 'react'
import {
  algorithmsIn,
  DATABASE,
  type KeyProvider,
  type RotatedKey,
  rotateKey,
  type SigningKey,
} from '../../../queries/signing-keys.js'
import { useSigningKeyTexts } from '../../../texts/signing-keys/use-signing-key-texts.js'
import { useSpoken, useTexts } from '../../../texts/use-texts.js'
import { Dialog } from '../../../ui/dialog.js'
import { Fact } from '../../../ui/fact.js'
import { nameOfRecord } from '../../../ui/party-names.js'
import { ProblemNote } from '../../../ui/problem-note.js'
import { ShortId } from '../../../ui/short-id.js'
import { KeyChoice, type KeyWish } from './key-choice.js'

interface Props {
  readonly signingKey: SigningKey
  readonly providers: readonly KeyProvider[]
  readonly onClose: () => void
}

/** A dialog that says what a rotation changes, runs it, and then says what is left to do. */
export function RotateDialog({ signingKey, providers, onClose }: Props) {
  const { language, texts } = useSpoken()
  const { common } = texts
  const { dialog: words } = useSigningKeyTexts()
  const client = useQueryClient()
  const { provider, algorithm, fixedProvider } = signingKey
  const [wish, setWish] = useState<KeyWish>(() => {
    const place = fixedProvider ?? provider
    const possible = algorithmsIn(place, providers)
    const same = possible.find((each) => each === algorithm)
    return { place, algorithm: same ?? possible[0] ?? 'ES256' }
  })
  const rotating = useMutation({
    mutationFn: () => rotateKey(signingKey, { provider: wish.place, algorithm: wish.algorithm }),
    onSettled: () =>
      Promise.all(['trust', 'agent'].map((subject) => client.invalidateQueries({ queryKey: [subject] }))),
  })
  const rotated = rotating.data
  const name = nameOfRecord(signingKey, language)
  return (
    <Dialog title={rotated === undefined ? words.title[signingKey.kind](name) : name} onClose={onClose}>
      {rotated === undefined ? (
        <>
          <h3>{words.effects}</h3>
          <Effects signingKey={signingKey} />
          <div className="fields">
            <KeyChoice
              labels={{
                place: words.place,
                placeHint: fixedProvider === null ? undefined : words.placeFixed,
                algorithm: words.algorithm,
              }}
              places={fixedProvider === null ? [DATABASE, ...providers.map(({ name }) => name)] : [fixedProvider]}
              providers={providers}
              wish={wish}
              onWish={setWish}
            />
          </div>
          {rotating.isError && <ProblemNote error={rotating.error} />}
          <div className="row">
            <button type="button" className="primary" disabled={rotating.isPending} onClick={() => rotating.mutate()}>
              {words.run}
            </button>
            <button type="button" disabled={rotating.isPending} onClick={onClose}>
              {common.cancel}
            </button>
          </div>
        </>
      ) : (
        <Done rotated={rotated} onClose={onClose} />
      )}
    </Dialog>
  )
}

function Effects({ signingKey: { kind, didChanges, certifiedUntil } }: Pick<Props, 'signingKey'>) {
  const { dialog: words } = useSigningKeyTexts()
  return (
    <ul>
      <li>{words.newKey}</li>
      <li>{didChanges ? words.didChanges : words.didStays}</li>
      {certifiedUntil !== null && <li>{words.certificate}</li>}
      {kind === 'issuer' && <li>{words.formerKey}</li>}
    </ul>
  )
}

interface DoneProps {
  readonly rotated: RotatedKey
  readonly onClose: () => void
}

function Done({ rotated: { kind, id, did, formerDid, next }, onClose }: DoneProps) {
  const { common } = useTexts()
  const { dialog: words } = useSigningKeyTexts()
  // The button that had the focus is gone.
  const close = useRef<HTMLButtonElement>(null)
  useEffect(() => close.current?.focus(), [])
  return (
    <>
      <p role="status" className="good">
        {words.done}
      </p>
      {did !== formerDid && (
        <dl>
          <Fact name={words.newDid}>
            <ShortId id={did} what="DID" />
          </Fact>
        </dl>
      )}
      <h3>{words.next}</h3>
      {next.length === 0 ? (
        <p>{words.nothing}</p>
      ) : (
        <ul>
          {next.map(({ step }) => (
            <li key={step}>{words.steps[step]}</li>
          ))}
        </ul>
      )}
      <div className="row">
        <button ref={close} type="button" onClick={onClose}>
          {common.close}
        </button>
        <Link to={kind === 'issuer' ? '/trust/issuers/$id' : '/trust/verifiers/$id'} params={{ id }} className="button">
          {words.toRecord}
        </Link>
      </div>
    </>
  )
}
