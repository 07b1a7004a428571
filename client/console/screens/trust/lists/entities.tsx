import { useInfiniteQuery } from '@tanstack/react-query'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type ListEntity, type ListService, listEntities, type TrustList } from '../../../queries/trust-lists.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { useSpoken } from '../../../texts/use-texts.js'
import { Asked } from '../../../ui/asked.js'
import { Fact } from '../../../ui/fact.js'
import { Filters } from '../../../ui/filters.js'
import { More } from '../../../ui/more.js'
import { RelativeTime } from '../../../ui/relative-time.js'
import { Tag } from '../../../ui/tag.js'
import { Certificates } from '../certificates.js'
import { nameIn } from './names.js'
import { entitySearch } from './search.js'
import { SERVICE_TONES, serviceState } from './service-state.js'

const route = getRouteApi('/trust/lists/$id')

/** The entities of a list, with a search by name. */
export function Entities({ list: { id, entities } }: { readonly list: TrustList }) {
  const { lists: words } = useTrustListTexts()
  // `validateSearch` of the router keeps unknown members of the address, so the screen parses the search again.
  const search = entitySearch({ ...route.useSearch() })
  const navigate = useNavigate()
  const query = useInfiniteQuery(listEntities(id, search.name))
  if (entities === 0 && search.name === undefined) return <p className="soft">{words.noEntities}</p>
  return (
    <>
      <Filters
        label={words.entities}
        values={{ ...search }}
        filters={[{ name: 'name', label: words.searchName }]}
        onChange={(values) =>
          void navigate({ to: '/trust/lists/$id', params: { id }, search: entitySearch(values), replace: true })
        }
      />
      <Asked query={query}>
        {(found) =>
          found.length === 0 ? (
            <p role="status">{words.noMatch}</p>
          ) : (
            <>
              <ol className="entities">
                {found.map((entity, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: an entity of a list has no id, and the list has an order.
                  <li key={at}>
                    <Entity entity={entity} />
                  </li>
                ))}
              </ol>
              <More query={query} />
            </>
          )
        }
      </Asked>
    </>
  )
}

function Entity({ entity: { names, territory, services, serviceCount } }: { readonly entity: ListEntity }) {
  const { language } = useSpoken()
  const { lists: words } = useTrustListTexts()
  const named = nameIn(names, language)
  return (
    <>
      <h3>
        <span lang={named?.lang}>{named?.name ?? words.unnamedEntity}</span>
        {territory !== undefined && <span className="soft"> · {territory}</span>}
      </h3>
      <ul className="plain services">
        {services.map((service, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a service of a list has no id, and the list has an order.
          <li key={at}>
            <Service service={service} />
          </li>
        ))}
      </ul>
      {serviceCount > services.length && <p className="soft">{words.moreServices(serviceCount - services.length)}</p>}
    </>
  )
}

function Service({ service }: { readonly service: ListService }) {
  const { language } = useSpoken()
  const { lists: words } = useTrustListTexts()
  const { names, type, trustedFor, startsAt, endsAt, types, certificates, certificateCount, keyCount } = service
  const named = nameIn(names, language)
  const state = serviceState(service, new Date())
  return (
    <>
      <p className="row">
        <strong lang={named?.lang}>{named?.name ?? words.service}</strong>
        <Tag tone={SERVICE_TONES[state]}>{words.serviceStates[state]}</Tag>
      </p>
      <p className="soft sentence">{type}</p>
      <dl>
        <Fact name={words.purpose}>
          {trustedFor.length === 0 ? words.unknownType : trustedFor.map((use) => words.uses[use]).join(', ')}
        </Fact>
        {types !== undefined && <Fact name={words.types}>{types.join(', ')}</Fact>}
        {startsAt !== undefined && (
          <Fact name={words.startsAt}>
            <RelativeTime at={startsAt} />
          </Fact>
        )}
        {endsAt !== undefined && (
          <Fact name={words.endsAt}>
            <RelativeTime at={endsAt} />
          </Fact>
        )}
      </dl>
      {certificateCount > 0 && <OnDemand certificates={certificates} count={certificateCount} />}
      {keyCount > 0 && <p className="soft">{words.keys(keyCount)}</p>}
    </>
  )
}

interface OnDemandProps {
  readonly certificates: ListService['certificates']
  readonly count: number
}

/** The certificates of a service. A long list has thousands, so each is drawn only when the user asks for it. */
function OnDemand({ certificates, count }: OnDemandProps) {
  const { lists: words } = useTrustListTexts()
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{words.certificates(count)}</summary>
      {isOpen && (
        <>
          <Certificates certificates={certificates} />
          {count > certificates.length && <p className="soft">{words.moreCertificates(count - certificates.length)}</p>}
        </>
      )}
    </details>
  )
}
