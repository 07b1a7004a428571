import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { TypeVersion } from '../../queries/shapes.js'
import { credence } from '../../service.js'
import { useTexts } from '../../texts/use-texts.js'
import { Field } from '../../ui/field.js'
import { ProblemNote } from '../../ui/problem-note.js'

interface Props {
  readonly type: TypeVersion
  readonly source: NonNullable<TypeVersion['claimsSource']>
}

/** The claims source of a type, and a test with a made-up reference. The answer is shown once and is not stored. */
export function SourceTest({ type, source }: Props) {
  const { types: words } = useTexts()
  const [reference, setReference] = useState('')
  const test = useMutation({
    mutationFn: (name: string) => credence.claimsSource.test.mutate({ id: type.id, reference: name }),
    gcTime: 0,
  })
  const kinds = (['hmac', 'bearer', 'mTLS'] as const).filter((kind) => source.auth[kind] === true)
  function submit(event: FormEvent): void {
    event.preventDefault()
    if (reference.trim() !== '' && !test.isPending) test.mutate(reference.trim())
  }
  return (
    <>
      <p>
        <code>{source.url}</code>
      </p>
      <p className="hint">{kinds.map((kind) => words.sourceAuths[kind]).join(', ')}</p>
      <form noValidate onSubmit={submit}>
        <Field label={words.sourceReference} hint={words.sourceReferenceHint} required>
          {(props) => (
            <input
              {...props}
              value={reference}
              onChange={({ target }) => setReference(target.value)}
              maxLength={200}
              autoComplete="off"
            />
          )}
        </Field>
        <div className="row">
          <button type="submit" aria-disabled={test.isPending}>
            {words.sourceTest}
          </button>
        </div>
      </form>
      <div aria-live="polite">
        {test.isError && <ProblemNote error={test.error} />}
        {test.data !== undefined && (
          <>
            <p>{words.sourceOutcomes[test.data.outcome]}</p>
            {test.data.problems.length > 0 && (
              <ul>
                {test.data.problems.map((problem) => (
                  <li key={problem} lang="en">
                    {problem}
                  </li>
                ))}
              </ul>
            )}
            {test.data.credentialSubject !== undefined && (
              <pre className="code">{JSON.stringify(test.data.credentialSubject, null, 2)}</pre>
            )}
          </>
        )}
      </div>
    </>
  )
}
