import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { type FieldValues, useFormContext, useWatch } from 'react-hook-form'
import { problemOf } from '../problems.js'
import { credence } from '../service.js'
import { useFaceTexts } from '../texts/faces/use-face-texts.js'
import { useSpoken, useTexts } from '../texts/use-texts.js'
import { base64Of } from './data-uri.js'
import { Field } from './field.js'
import { shownAddress } from './image-address.js'
import { imageRefusal, sizeFault } from './image-refusal.js'
import { May } from './use-may.js'

interface Props {
  /** The path of the image in the form: its id or its address, empty for no image. */
  readonly name: string
  readonly label: string
  /** The path of the integrity metadata in the form, with its label and hint. */
  readonly integrity: { readonly name: string; readonly label: string; readonly hint: string }
  readonly hint: string
  /** The error of an id or address, or true if the service may accept it. */
  readonly validate: (text: string | undefined) => true | string
}

/** An image of a record: uploaded as a file, or named by its address. The image is shown with its size. */
export function ImageField({ name, label, integrity, hint, validate }: Props) {
  const { images: words, refusals } = useFaceTexts()
  const { common, problem } = useTexts()
  const client = useQueryClient()
  const { control, register, setValue, clearErrors, getFieldState, formState } = useFormContext<FieldValues>()
  const image = String(useWatch({ control, name }) ?? '').trim()
  const error = getFieldState(name, formState).error?.message
  const wrongIntegrity = getFieldState(integrity.name, formState).error?.message
  const [refused, setRefused] = useState<string>()
  const take = (id: string) => {
    setValue(name, id, { shouldDirty: true })
    // The integrity metadata belong to the image before.
    setValue(integrity.name, '', { shouldDirty: true })
    clearErrors([name, integrity.name])
  }
  const upload = useMutation({
    mutationFn: async (file: File) => {
      return credence.images.add.mutate({ data: await base64Of(file) })
    },
    onSuccess: async ({ id }) => {
      take(id)
      await client.invalidateQueries({ queryKey: ['images'] })
    },
    onError: (thrown) => {
      const { messages } = problemOf(thrown)
      setRefused(messages.map((each) => imageRefusal(each, refusals)).join(' ') || problem.unreachable)
    },
  })
  const choose = ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    const fault = file === undefined ? undefined : sizeFault(file, refusals)
    setRefused(fault)
    if (file !== undefined && fault === undefined) upload.mutate(file)
    // So that the same file can be chosen again after a correction.
    target.value = ''
  }
  const isUploaded = upload.isSuccess && upload.data.id === image
  return (
    <div className="image-field">
      <May call="images.add">
        <Field label={label} hint={words.choose} error={refused}>
          {(props) => (
            <input
              {...props}
              type="file"
              className="drop"
              accept="image/png,image/jpeg,image/svg+xml"
              disabled={upload.isPending}
              onChange={choose}
            />
          )}
        </Field>
      </May>
      <p role="status" className={isUploaded ? 'good' : 'soft'}>
        {upload.isPending ? words.uploading : isUploaded && words.uploaded(label)}
      </p>
      {image !== '' && (
        <div className="row shown-image">
          <Picture key={image} image={image} label={label} />
          <button type="button" className="quiet" aria-label={words.remove(label)} onClick={() => take('')}>
            {common.remove}
          </button>
        </div>
      )}
      <details open={error !== undefined || wrongIntegrity !== undefined}>
        <summary>{words.byAddress}</summary>
        <Field label={words.address(label)} hint={hint} error={error}>
          {(props) => <input {...props} {...register(name, { validate })} autoComplete="off" spellCheck={false} />}
        </Field>
        <Field label={integrity.label} hint={integrity.hint} error={wrongIntegrity}>
          {(props) => (
            <input {...props} {...register(integrity.name)} maxLength={100} autoComplete="off" spellCheck={false} />
          )}
        </Field>
      </details>
    </div>
  )
}

/** The number of bytes of a loaded image, as the browser counted it; undefined if the browser did not. */
function bytesOf(address: string): number | undefined {
  if (address.startsWith('data:')) return undefined
  const [entry] = performance.getEntriesByName(address).slice(-1)
  return entry instanceof PerformanceResourceTiming && entry.decodedBodySize > 0 ? entry.decodedBodySize : undefined
}

/** The image with its size. An image on another host is only named. */
function Picture({ image, label }: { readonly image: string; readonly label: string }) {
  const { images: words } = useFaceTexts()
  const { language } = useSpoken()
  const [size, setSize] = useState<string>()
  const [isGone, setGone] = useState(false)
  const address = shownAddress(image)
  if (address === undefined) return <p className="soft">{words.elsewhere}</p>
  if (isGone) return <p className="soft">{words.gone}</p>
  return (
    <figure>
      <img
        className="picture"
        src={address}
        alt={label}
        onError={() => setGone(true)}
        onLoad={({ currentTarget: { naturalWidth, naturalHeight } }) => {
          const bytes = bytesOf(address)
          const kibibytes = bytes && (bytes / 1024).toLocaleString(language, { maximumFractionDigits: 1 })
          setSize(words.size(words.pixels(naturalWidth, naturalHeight), kibibytes || undefined))
        }}
      />
      <figcaption className="soft">{size}</figcaption>
    </figure>
  )
}
