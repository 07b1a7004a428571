import { inGerman, type Template } from './template.js'

const NAMESPACE = 'eu.europa.ec.av.1'

/** A proof of age without any other data, with the elements of the European age verification profile. */
export const ageProof: Template = {
  key: 'ageProof',
  title: { en: 'Proof of age', de: 'Altersnachweis', fr: 'Preuve d’âge', es: 'Prueba de edad', it: 'Prova dell’età' },
  about: {
    en: 'Whether a person has reached an age, and nothing else.',
    de: 'Ob eine Person ein Alter erreicht hat, und sonst nichts.',
    fr: 'Si une personne a atteint un âge, et rien d’autre.',
    es: 'Si una persona ha cumplido una edad, y nada más.',
    it: 'Se una persona ha compiuto un’età, e nient’altro.',
  },
  body: {
    name: 'AgeProof',
    version: 1,
    display: [
      { name: 'Proof of age', locale: 'en', background_color: '#7a3b00', text_color: '#ffffff' },
      { name: 'Altersnachweis', locale: 'de', background_color: '#7a3b00', text_color: '#ffffff' },
    ],
    expiresInDays: 90,
    retention: { claims: 'untilIssued' },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: {
        age_over_12: { type: 'boolean', title: 'At least 12 years old' },
        age_over_14: { type: 'boolean', title: 'At least 14 years old' },
        age_over_16: { type: 'boolean', title: 'At least 16 years old' },
        age_over_18: { type: 'boolean', title: 'At least 18 years old' },
        age_over_21: { type: 'boolean', title: 'At least 21 years old' },
        age_over_65: { type: 'boolean', title: 'At least 65 years old' },
      },
      required: ['age_over_18'],
    },
    claims: inGerman({
      age_over_12: 'Mindestens 12 Jahre alt',
      age_over_14: 'Mindestens 14 Jahre alt',
      age_over_16: 'Mindestens 16 Jahre alt',
      age_over_18: 'Mindestens 18 Jahre alt',
      age_over_21: 'Mindestens 21 Jahre alt',
      age_over_65: 'Mindestens 65 Jahre alt',
    }),
    mdoc: {
      doctype: NAMESPACE,
      namespaces: {
        [NAMESPACE]: {
          age_over_12: '/age_over_12',
          age_over_14: '/age_over_14',
          age_over_16: '/age_over_16',
          age_over_18: '/age_over_18',
          age_over_21: '/age_over_21',
          age_over_65: '/age_over_65',
        },
      },
    },
  },
}
