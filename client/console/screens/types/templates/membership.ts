import { inGerman, type Template } from './template.js'

/** A card of a member. */
export const membership: Template = {
  key: 'membership',
  title: {
    en: 'Membership card',
    de: 'Mitgliedskarte',
    fr: 'Carte de membre',
    es: 'Carné de socio',
    it: 'Tessera associativa',
  },
  about: {
    en: 'Membership of a club, with its level.',
    de: 'Die Mitgliedschaft in einem Verein, mit ihrer Stufe.',
    fr: 'L’adhésion à un club, avec son niveau.',
    es: 'La pertenencia a un club, con su nivel.',
    it: 'L’iscrizione a un’associazione, con il suo livello.',
  },
  body: {
    name: 'MembershipCard',
    version: 1,
    display: [
      { name: 'Membership card', locale: 'en', background_color: '#14692f', text_color: '#ffffff' },
      { name: 'Mitgliedskarte', locale: 'de', background_color: '#14692f', text_color: '#ffffff' },
    ],
    expiresInDays: 365,
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: {
        organization: { type: 'string', title: 'Organization' },
        member_number: { type: 'string', title: 'Member number' },
        given_name: { type: 'string', title: 'Given name' },
        family_name: { type: 'string', title: 'Family name' },
        level: {
          type: 'string',
          title: 'Level',
          oneOf: [
            { const: 'basic', title: 'Basic' },
            { const: 'silver', title: 'Silver' },
            { const: 'gold', title: 'Gold' },
          ],
        },
        member_since: { type: 'string', format: 'date', title: 'Member since' },
      },
      required: ['organization', 'member_number'],
    },
    selectivelyDisclosable: ['member_number', 'given_name', 'family_name', 'level', 'member_since'],
    claims: inGerman({
      organization: 'Organisation',
      member_number: 'Mitgliedsnummer',
      given_name: 'Vorname',
      family_name: 'Nachname',
      level: 'Stufe',
      member_since: 'Mitglied seit',
    }),
  },
}
