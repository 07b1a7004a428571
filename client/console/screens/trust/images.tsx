import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type StoredImage, storedImages } from '../../queries/images.js'
import { credence } from '../../service.js'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { shownAddress } from '../../ui/image-address.js'
import { Listing } from '../../ui/listing.js'
import { More } from '../../ui/more.js'
import { Panel } from '../../ui/panel.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Screen } from '../../ui/screen.js'
import { shortened } from '../../ui/short-id.js'
import { Tag } from '../../ui/tag.js'
import { useMay } from '../../ui/use-may.js'
import { Sections } from './sections.js'

/** The stored images, and the deletion of images that no record uses. */
export function Images() {
  const { trust } = useTexts()
  const { gallery: words } = useFaceTexts()
  const query = useInfiniteQuery(storedImages)
  return (
    <Screen title={trust.images} intro={words.intro}>
      <Sections />
      <Panel title={words.stored}>
        <Asked query={query}>
          {(images) => (
            <>
              {images.length === 0 ? <p className="soft">{words.none}</p> : <Stored images={images} />}
              <More query={query} />
            </>
          )}
        </Asked>
      </Panel>
    </Screen>
  )
}

const nameOf = ({ id }: StoredImage): string => shortened(id)

function Stored({ images }: { readonly images: readonly StoredImage[] }) {
  const { trust, common } = useTexts()
  const { gallery: words, images: sizes } = useFaceTexts()
  const { language } = useSpoken()
  const mayRemove = useMay().call('images.remove')
  const [leaving, setLeaving] = useState<StoredImage>()
  const kibibytes = (size: number) => (size / 1024).toLocaleString(language, { maximumFractionDigits: 1 })
  return (
    <>
      <Listing
        label={words.stored}
        rows={images}
        keyOf={({ id }) => id}
        columns={[
          {
            key: 'image',
            name: words.image,
            cell: (image) => (
              <span className="row">
                <img className="thumbnail" src={shownAddress(image.id)} alt="" loading="lazy" />
                <code title={image.id}>{nameOf(image)}</code>
              </span>
            ),
          },
          {
            key: 'size',
            name: words.size,
            cell: ({ width, height, size }) => sizes.size(sizes.pixels(width, height), kibibytes(size)),
          },
          {
            key: 'uses',
            name: words.uses,
            cell: ({ uses }) => (uses === 0 ? <Tag>{words.unused}</Tag> : words.records(uses)),
          },
          { key: 'at', name: words.uploaded, cell: ({ createdAt }) => <RelativeTime at={createdAt} /> },
          {
            key: 'end',
            name: words.removal,
            cell: ({ removedAfter }) => removedAfter !== undefined && <RelativeTime at={removedAfter} />,
          },
          {
            key: 'actions',
            name: trust.rowActions,
            nameless: true,
            cell: (image) =>
              mayRemove &&
              image.uses === 0 && (
                <button
                  type="button"
                  className="quiet danger"
                  aria-label={words.removeOf(nameOf(image))}
                  onClick={() => setLeaving(image)}
                >
                  {common.remove}
                </button>
              ),
          },
        ]}
      />
      {leaving !== undefined && (
        <Confirmation
          title={words.removeTitle}
          text={words.removeText}
          action={words.removeAction}
          act={() => credence.images.remove.mutate({ id: leaving.id })}
          changes="images"
          isGone={!images.some(({ id }) => id === leaving.id)}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </>
  )
}
