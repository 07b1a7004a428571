/** The names of the roles that an installation uses. */
export interface RoleNames {
  readonly admin: string
  readonly issuer: string
  readonly verifier: string
}

/** A person at the provider of `npm start -- --login`. */
export interface Person {
  /** The person's `sub`. */
  readonly id: string
  readonly givenName: string
  readonly familyName: string
  readonly roles: readonly string[]
  /** A short description of the person's rights, for the page on which a user chooses a person. */
  readonly may: string
}

/** The four people. Each has a different role, and one has none. */
export const peopleWith = ({ admin, issuer, verifier }: RoleNames): readonly Person[] => [
  { id: 'ada', givenName: 'Ada', familyName: 'Admin', roles: [admin], may: 'may do everything' },
  { id: 'ines', givenName: 'Ines', familyName: 'Issuer', roles: [issuer], may: 'issues credentials' },
  { id: 'vera', givenName: 'Vera', familyName: 'Verifier', roles: [verifier], may: 'verifies credentials' },
  { id: 'noah', givenName: 'Noah', familyName: 'Nobody', roles: [], may: 'has no role, so the console stays closed' },
]
