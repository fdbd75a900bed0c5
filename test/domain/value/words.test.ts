import { describe, expect, test } from 'vitest'
import { fold } from '../../../src/domain/text/text.js'
import { BUILT_IN, checkWord, WORDS, wordsWith } from '../../../src/domain/value/words.js'

const statusOf = (raw: string, words = WORDS) =>
  checkWord('status', raw, words.status, {}).map(({ rule }) => rule)
const sequenceOf = (raw: string, words = WORDS) =>
  checkWord('sequence', raw, words.sequence, {}).map(({ rule }) => rule)
const schemeOf = (raw: string, words = WORDS) =>
  checkWord('scheme', raw, words.scheme, {}).map(({ rule }) => rule)
const firmenMandatOf = (raw: string) =>
  checkWord('scheme', raw, WORDS.firmenMandat, {}).map(({ rule }) => rule)

// Written down a second time, so that a slip in the lists shows.
const NOT_ACTIVE =
  'cancelled, canceled, inactive, expired, revoked, closed, ended, deleted, blocked, failed, invalid, widerrufen, gekündigt, inaktiv, abgelaufen, gesperrt, gelöscht, storniert, ingetrokken, opgezegd, beëindigd, résilié, révoqué, annulé, revocado, cancelado'
const ACTIVE = 'active, valid, ok, aktiv, gültig, actief, actif, activo'
const each = (list: string): string[] => list.split(', ')

describe('status', () => {
  test.each(each(NOT_ACTIVE))('%s is not active', (word) => {
    expect(statusOf(word)).toEqual(['STATUS_NOT_ACTIVE'])
    expect(statusOf(` ="${word.toUpperCase()}" `)).toEqual(['STATUS_NOT_ACTIVE'])
  })

  test.each(each(ACTIVE))('%s is active', (word) => {
    expect(statusOf(word)).toEqual([])
  })

  test.each(['gekuendigt', 'GELOESCHT', 'beeindigd', 'Resilie', 'gekundigt'])(
    '%s is the same word spelled otherwise',
    (word) => {
      expect(statusOf(word)).toEqual(['STATUS_NOT_ACTIVE'])
    },
  )

  test.each(
    each(
      'paused, ruhend, Ruht, pausiert, op pauze, rustend, en pause, gelée, in pausa, congelata, en pausa, pausado, vilande, på paus, hvilende, pauseret, zawieszony, zamrożone, dormant, frozen',
    ),
  )('8.3.4 %s rests, and stays behind', (word) => {
    expect(statusOf(word)).toEqual(['STATUS_NOT_ACTIVE'])
  })

  test.each(['in Klärung', 'new', '1', '4', 'SUB'])('%s is not known', (word) => {
    expect(statusOf(word)).toEqual(['STATUS_UNKNOWN'])
  })

  test.each(['', ' ', '-', '="" '])('the empty cell %j says nothing', (word) => {
    expect(statusOf(word)).toEqual([])
  })
})

describe('sequence', () => {
  test.each(each('OOFF, one-off, one off, single, einmal, Einmallastschrift'))('%s is one-off', (word) => {
    expect(sequenceOf(word)).toEqual(['SEQUENCE_ONE_OFF'])
  })

  test.each(each('FNAL, final, last, letzte, letzte Lastschrift'))('%s is final', (word) => {
    expect(sequenceOf(word)).toEqual(['SEQUENCE_FINAL'])
  })

  test.each(each('FRST, RCUR, first, recurrent, recurring, Erstlastschrift, Folgelastschrift, Erst, Folge'))(
    '%s recurs',
    (word) => {
      expect(sequenceOf(word)).toEqual([])
    },
  )

  test('another word is not known', () => {
    expect(sequenceOf('weekly')).toEqual(['SEQUENCE_UNKNOWN'])
  })
})

describe('scheme', () => {
  test.each(['B2B', 'b-2-b', 'Firmenlastschrift'])('%s is business-to-business', (word) => {
    expect(schemeOf(word)).toEqual(['SCHEME_B2B'])
    expect(firmenMandatOf(word)).toEqual(['SCHEME_B2B'])
  })

  test.each(['CORE', 'cor1', 'Basislastschrift'])('%s is core', (word) => {
    expect(schemeOf(word)).toEqual([])
    expect(firmenMandatOf(word)).toEqual([])
  })

  test.each(['true', '1', 'JA', 'yes'])(
    '%s says yes in a column FirmenMandat, and nothing elsewhere',
    (word) => {
      expect(firmenMandatOf(word)).toEqual(['SCHEME_B2B'])
      expect(schemeOf(word)).toEqual(['SCHEME_UNKNOWN'])
    },
  )

  test.each(['false', '0', 'Nein', 'no'])(
    '%s says no in a column FirmenMandat, and nothing elsewhere',
    (word) => {
      expect(firmenMandatOf(word)).toEqual([])
      expect(schemeOf(word)).toEqual(['SCHEME_UNKNOWN'])
    },
  )

  test('another word is not known', () => {
    expect(firmenMandatOf('vielleicht')).toEqual(['SCHEME_UNKNOWN'])
  })
})

describe('8.3.4 words of other languages', () => {
  test.each([
    ...each(
      'terminated, suspended, Suspended by payer, withdrawn, not active, beendet, ausgesetzt, pausiert',
    ),
    ...each(
      'nicht mehr gültig, ungueltig, Kündigung, geannuleerd, vervallen, niet actief, stopgezet, suspendu',
    ),
    ...each(
      'résiliée, RESILIEES, clôturé, expiré, revocata, sospeso, scaduti, disdetta, suspendido, caducada',
    ),
    ...each(
      'dado de baja, no activo, uppsagt, återkallad, upphört, ophørt, ophoert, ophort, udløbet, tilbagekaldt',
    ),
    ...each('wygasły, wygasly, wypowiedziany, zawieszona, cofnięty, cofniety, nieaktywny'),
    ...each('Gekündigt zum 31.12.2025, opgezegd per 1-1-2024, résilié le 01/02/2025, Cancelled (2024-05-01)'),
  ])('8.3.4 %s is not active', (word) => {
    expect(statusOf(word)).toEqual(['STATUS_NOT_ACTIVE'])
  })

  test.each([
    ...each(
      'laufend, wirksam, lopend, geldig, en cours, en vigueur, attivo, valida, vigente, activa, giltigt',
    ),
    ...each('löpande, gældende, gaeldende, aktywny, ważny, wazny, obowiązujący, aktiv seit 01.02.2020'),
  ])('8.3.4 %s is active', (word) => {
    expect(statusOf(word)).toEqual([])
  })

  test.each([
    ...each('one-time, einmalig, Einmalige Lastschrift, eenmalig, ponctuel, ponctuelle, paiement unique'),
    ...each('una tantum, pago único, puntual, engångs, engangs, jednorazowy, jednorazowa'),
  ])('8.3.4 %s is one-off', (word) => {
    expect(sequenceOf(word)).toEqual(['SEQUENCE_ONE_OFF'])
  })

  test.each([
    ...each('wiederkehrend, Dauerlastschrift, doorlopend, terugkerend, récurrent, permanent, ricorrente'),
    ...each('recurrente, periódico, återkommande, tilbagevendende, cykliczny, stały'),
  ])('8.3.4 %s recurs', (word) => {
    expect(sequenceOf(word)).toEqual([])
  })

  test.each(each('SEPA B2B, SEPA-Firmenlastschrift, Firmenmandat, interentreprises, Incasso bedrijven'))(
    '8.3.4 %s is business-to-business',
    (word) => {
      expect(schemeOf(word)).toEqual(['SCHEME_B2B'])
    },
  )

  test('no word means two things', () => {
    for (const [field, meanings] of Object.entries(BUILT_IN)) {
      const lists = Object.values(meanings as Record<string, readonly string[]>).map(
        (words) => new Set(words.map((word) => fold(word))),
      )
      for (const [index, words] of lists.entries())
        for (const other of lists.slice(index + 1))
          expect(
            [...words].filter((word) => other.has(word)),
            field,
          ).toEqual([])
    }
  })
})

describe('words of the configuration', () => {
  test('add to the lists, umlauts included', () => {
    const words = wordsWith({
      status: { notActive: ['rückläufig'], active: ['laufend'] },
      sequence: { recurrent: ['weekly'], oneOff: ['einmalig'], final: ['Schluss'] },
      scheme: { core: ['privat'], b2b: ['Firma'] },
    })
    expect(statusOf('ruecklaeufig', words)).toEqual(['STATUS_NOT_ACTIVE'])
    expect(statusOf('laufend', words)).toEqual([])
    expect(statusOf('aktiv', words)).toEqual([])
    expect(sequenceOf('weekly', words)).toEqual([])
    expect(sequenceOf('Einmalig', words)).toEqual(['SEQUENCE_ONE_OFF'])
    expect(sequenceOf('Schluß', words)).toEqual(['SEQUENCE_FINAL'])
    expect(schemeOf('privat', words)).toEqual([])
    expect(schemeOf('Firma', words)).toEqual(['SCHEME_B2B'])
  })

  test('win over the built-in meaning', () => {
    const words = wordsWith({ status: { active: ['failed'], notActive: ['ok'] } })
    expect(statusOf('failed', words)).toEqual([])
    expect(statusOf('ok', words)).toEqual(['STATUS_NOT_ACTIVE'])
    expect(statusOf('ok')).toEqual([])
  })
})

test('26.2 no severity lets a word pass that nobody understood', () => {
  const unknown = (severity: 'warning' | 'off') =>
    checkWord('status', 'in Klärung', WORDS.status, { STATUS_UNKNOWN: severity })
  expect(unknown('warning')).toMatchObject([{ rule: 'STATUS_UNKNOWN' }])
  expect(unknown('off')).toMatchObject([{ rule: 'STATUS_UNKNOWN' }])
})

describe('26.2 words of all official languages of the SEPA area', () => {
  test.each(
    each(
      'zrušen, zrušený, neplatné, preklican, otkazan, прекратен, откажан, tühistatud, peruttu, ακυρωμένη, törölve, cealaithe, atcelts, atšauktas, imħassar, inativa, suspensa, anulat, óvirkt, avvist, gekënnegt, anul·lat, i anuluar, iptal, Pte. firma, pending, ausstehend, en attente, in attesa, oczekujący, odottaa, függőben',
    ),
  )('26.2 %s keeps a mandate back', (word) => {
    expect(statusOf(word)).toEqual(['STATUS_NOT_ACTIVE'])
  })

  test.each(
    each(
      'aktivní, platný, aktívny, aktiven, aktivan, активен, важи, kehtiv, voimassa, ενεργή, érvényes, gníomhach, spēkā, galiojantis, attiv, ativo, activ, în vigoare, virkt, gyldig, gülteg, vigent, aktiv, geçerli',
    ),
  )('26.2 %s is active', (word) => {
    expect(statusOf(word)).toEqual([])
  })
})
