import type { ChangeEvent } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { pictureOf } from '../../../../server/protocol/credential-card/picture.js'
import { useTexts } from '../../texts/use-texts.js'
import { dataUriOf } from '../data-uri.js'
import type { ControlProps } from '../field.js'
import type { Control } from './plan.js'

/** The part of a form's values that this control changes. */
interface ClaimsForm {
  claims: Record<string, string | boolean | undefined>
}

interface Props {
  readonly field: string
  readonly image: NonNullable<Control['image']>
  readonly title: string
  readonly props: ControlProps
}

/** The choice of an image file for a claim, with the image. The claim gets a data URI, or the bytes in base64. */
export function ImageInput({ field, image, title, props }: Props) {
  const { common } = useTexts()
  const { control, setValue, clearErrors } = useFormContext<ClaimsForm>()
  const value = useWatch({ control, name: `claims.${field}` })
  const picture = typeof value === 'string' ? pictureOf(value) : undefined
  const choose = async ({ target }: ChangeEvent<HTMLInputElement>) => {
    const [file] = target.files ?? []
    if (file === undefined) return
    const uri = await dataUriOf(file)
    setValue(`claims.${field}`, image === 'dataUri' ? uri : uri.slice(uri.indexOf(',') + 1), { shouldDirty: true })
    clearErrors(`claims.${field}`)
  }
  return (
    <div className="picture-input">
      <input {...props} type="file" accept="image/*" onChange={(event) => void choose(event)} />
      {picture !== undefined && (
        <p className="row">
          <img className="picture" src={picture} alt={title} />
          <button type="button" className="quiet" onClick={() => setValue(`claims.${field}`, '')}>
            {common.remove}
          </button>
        </p>
      )}
    </div>
  )
}
