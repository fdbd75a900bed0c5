import { describe, expect, it } from 'vitest'
import { usualContactColumns } from '../../src/decisions/contacts.js'

describe('usualContactColumns', () => {
  it('finds the usual names, as they are written in the file', () => {
    expect(usualContactColumns([['customer_no', 'IBAN', 'Kundenname', 'E-Mail-Adresse', 'SPRACHE']])).toEqual(
      {
        name: ['Kundenname'],
        email: ['E-Mail-Adresse'],
        language: ['SPRACHE'],
      },
    )
  })

  it('takes none where two columns could be meant', () => {
    expect(usualContactColumns([['Name', 'Kontoinhaber', 'email']])).toEqual({
      name: [],
      email: ['email'],
      language: [],
    })
  })

  it('takes one name for one, however two files write it', () => {
    expect(usualContactColumns([['E-Mail'], ['e-mail']])).toMatchObject({ email: ['e-mail'] })
  })

  it('takes neither the first name nor the family name for the name', () => {
    expect(usualContactColumns([['Vorname', 'Nachname', 'first name', 'last name']])).toEqual({
      name: [],
      email: [],
      language: [],
    })
  })
})
