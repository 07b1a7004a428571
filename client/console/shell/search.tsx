import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { PLACES } from '../navigation.js'
import { type Found, found } from '../queries/search.js'
import { useAsks } from '../screens/requests/use-asks.js'
import type { Texts } from '../texts/texts.js'
import { useTexts } from '../texts/use-texts.js'
import { knownAs, MAX_NAME } from '../ui/names.js'
import { ProblemNote } from '../ui/problem-note.js'
import { RelativeTime } from '../ui/relative-time.js'
import { shortened } from '../ui/short-id.js'
import { useTypeTitles } from '../ui/type-titles.js'
import { type May, type Path, useMay } from '../ui/use-may.js'

/** Milliseconds without a key before the service is asked. */
const PAUSE_MS = 250

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

interface Result {
  readonly key: string
  readonly title: string
  /** The kind of the result: a screen, or a kind of thing. */
  readonly kind: string
  readonly details: readonly string[]
  readonly createdAt?: string
  /** Opens the screen of the result. */
  readonly open: () => void
}

type Navigate = ReturnType<typeof useNavigate>

/** The function that opens the screen of a found thing; undefined if the user may not open the screen. */
function openerOf({ kind, id, type }: Found, may: May, navigate: Navigate): (() => void) | undefined {
  const params = { id }
  const openers: Readonly<Record<Found['kind'], readonly [path: Path, open: () => void]>> = {
    type: ['/types/$name', () => void navigate({ to: '/types/$name', params: { name: type ?? id } })],
    offer: ['/offers/$id', () => void navigate({ to: '/offers/$id', params })],
    credential: ['/credentials/$id', () => void navigate({ to: '/credentials/$id', params })],
    request: ['/requests/$id', () => void navigate({ to: '/requests/$id', params })],
    wallet: ['/wallets/$id', () => void navigate({ to: '/wallets/$id', params })],
    vpQuery: ['/requests/new-request', () => void navigate({ to: '/requests/new-request', search: { query: id } })],
  }
  const [path, open] = openers[kind]
  return may.open(path) ? open : undefined
}

/** The screens with a name that has the text at the beginning of a word. */
const screensFor = (text: string, may: May, navigate: Navigate, { nav, search: words }: Texts): Result[] =>
  PLACES.filter(({ to, name }) => may.open(to) && ` ${nav[name]}`.toLowerCase().includes(` ${text.toLowerCase()}`)).map(
    ({ to, name }) => ({
      key: to,
      title: nav[name],
      kind: words.kinds.screen,
      details: [],
      open: () => void navigate({ to }),
    }),
  )

const thingsFor = (
  items: readonly Found[],
  may: May,
  navigate: Navigate,
  { search: words }: Texts,
  titleOf: (type: string) => string,
  askedIn: ReturnType<typeof useAsks>['titleOf'],
): Result[] =>
  items.flatMap((item) => {
    const open = openerOf(item, may, navigate)
    if (open === undefined) return []
    const { kind, id, type, name, reference, createdAt, asks } = item
    const typeTitle = type === undefined ? undefined : titleOf(type)
    const ownName = knownAs(item) ?? name
    const asked = askedIn(asks)
    const title = kind === 'type' ? typeTitle : (ownName ?? asked ?? typeTitle)
    // Only a thing without a name needs its id.
    const idShown = ownName === undefined && kind !== 'type' ? shortened(id) : undefined
    return [
      {
        key: `${kind} ${id}`,
        title: title ?? words.kinds[kind],
        kind: words.kinds[kind],
        details: [typeTitle, asked, reference, idShown].flatMap((text) =>
          text === undefined || text === title ? [] : [text],
        ),
        createdAt,
        open,
      },
    ]
  })

/** True for Ctrl+K, and for ⌘K on a Mac. */
const isShortcut = ({ key, ctrlKey, metaKey, altKey, shiftKey }: globalThis.KeyboardEvent) =>
  key.toLowerCase() === 'k' && (isMac ? metaKey : ctrlKey) && !altKey && !shiftKey

/** Returns the text once it has not changed for a short time, so the console does not call the service for each key. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return paused
}

/**
 * The search of the console: screens, and things by id, reference, label and name. It is a combobox with a list of results (ARIA
 * Authoring Practices Guide, "Combobox"). The focus stays in the field; the arrow keys choose a result.
 */
export function Search() {
  const texts = useTexts()
  const { search: words } = texts
  const may = useMay()
  const titleOf = useTypeTitles()
  const navigate = useNavigate()
  const field = useRef<HTMLInputElement>(null)
  const before = useRef<Element | null>(null)
  const id = useId()
  const [input, setInput] = useState('')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(0)
  const text = input.trim()
  const { titleOf: askedIn } = useAsks(text !== '')
  const paused = usePaused(text)
  const query = useQuery(found(text === '' ? '' : paused))
  const isWaiting = text !== paused || query.isFetching

  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (!isShortcut(event) || document.querySelector('dialog[open]') !== null) return
      event.preventDefault()
      if (document.activeElement !== field.current) before.current = document.activeElement
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])

  const results =
    text === ''
      ? []
      : [
          ...screensFor(text, may, navigate, texts),
          ...thingsFor(query.data?.items ?? [], may, navigate, texts, titleOf, askedIn),
        ]
  const isShown = isOpen && text !== ''
  const at = Math.min(chosen, results.length - 1)
  const optionId = (position: number) => `${id}-${position}`

  const go = ({ open }: Result) => {
    setInput('')
    setOpen(false)
    open()
  }

  const onKeyDown = (event: KeyboardEvent) => {
    const move = (position: number) => {
      event.preventDefault()
      setOpen(true)
      setChosen(results.length === 0 ? 0 : (position + results.length) % results.length)
    }
    if (event.key === 'ArrowDown') move(isShown ? at + 1 : 0)
    else if (event.key === 'ArrowUp') move(at - 1)
    else if (event.key === 'Enter') {
      const result = isShown ? results[at] : undefined
      // While the service is asked, the first result may still change.
      if (result !== undefined && (!isWaiting || chosen > 0)) go(result)
    } else if (event.key === 'Escape' && (isShown || input !== '')) {
      event.preventDefault()
      setInput('')
      setOpen(false)
      if (before.current instanceof HTMLElement) before.current.focus()
      before.current = null
    }
  }

  return (
    <search className="search">
      <input
        ref={field}
        type="text"
        role="combobox"
        aria-label={words.label}
        aria-expanded={isShown}
        aria-controls={`${id}-results`}
        aria-autocomplete="list"
        aria-activedescendant={isShown && results.length > 0 ? optionId(at) : undefined}
        aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
        placeholder={words.placeholder(isMac ? '⌘K' : words.ctrl)}
        autoComplete="off"
        spellCheck={false}
        maxLength={MAX_NAME}
        value={input}
        onChange={({ target }) => {
          setInput(target.value)
          setChosen(0)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
        onBlur={() => setOpen(false)}
      />
      <span className="hidden" role="status">
        {isShown && !isWaiting && words.count(results.length)}
      </span>
      <div className="results" hidden={!isShown}>
        <div id={`${id}-results`} role="listbox" aria-label={words.results} aria-busy={isWaiting}>
          {isShown &&
            results.map((result, position) => (
              // The keyboard chooses options in the field. Assistive technology may focus the option itself.
              <div
                key={result.key}
                id={optionId(position)}
                role="option"
                tabIndex={-1}
                aria-selected={position === at}
                className="result"
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => go(result)}
                onKeyDown={({ key }) => key === 'Enter' && go(result)}
              >
                <strong>{result.title}</strong>
                <span className="kind">{result.kind}</span>
                <span className="soft">
                  {result.details.join(' · ')}
                  {result.createdAt !== undefined && (
                    <>
                      {result.details.length > 0 && ' · '}
                      <RelativeTime at={result.createdAt} />
                    </>
                  )}
                </span>
              </div>
            ))}
        </div>
        {isWaiting && <p className="soft">{texts.common.loading}</p>}
        {!isWaiting && query.error !== null && <ProblemNote error={query.error} />}
        {!isWaiting && query.error === null && results.length === 0 && <p className="soft">{words.nothing}</p>}
        {!isWaiting && (query.data?.more.length ?? 0) > 0 && <p className="soft">{words.more}</p>}
      </div>
    </search>
  )
}
