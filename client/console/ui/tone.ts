/** The tone of a state. */
export type Tone =
  /** Success. */
  | 'good'
  /** An error. */
  | 'bad'
  /** The user should read the state. */
  | 'warn'
  /** Not over yet. */
  | 'waiting'
  /** Over without success and without an error. */
  | 'ended'
  /** Words that are no state. */
  | 'plain'
