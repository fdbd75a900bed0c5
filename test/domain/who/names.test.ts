import { describe, expect, it } from 'vitest'
import { compareNames, maskName, whoIs, WHO_VERDICTS } from '../../../src/domain/who/names.js'
import { generate } from '../../support/chance.js'
import { drawPairs } from './drawn-names.js'

/** Two spellings of one customer. */
const SAME: readonly (readonly [language: string, one: string, other: string])[] = [
  ['German', 'Jürgen Müller', 'MUELLER, JUERGEN'],
  ['German', 'Dr. Katharina Groß', 'Katharina Gross'],
  ['German', 'Bäckerei Schäfer GmbH & Co. KG', 'Baeckerei Schaefer'],
  ['German', 'A. Schmidt-Wolf', 'Andrea Wolf'],
  ['German', 'Eheleute Hans und Ute Meyer', 'Hans Meier'],
  ['German', 'BMW AG', 'Bayerische Motoren Werke AG'],
  ['German', 'Müller-Lüdenscheidt', 'Müllerlüdenscheidt'],
  ['German', 'TSV Förderverein Neustadt e.V.', 'Förderverein TSV Neustadt'],
  ['English', "Mr. Patrick O'Brien", 'OBRIEN P'],
  ['English', 'Siobhan Mc Carthy', 'Siobhan McCarthy'],
  ['English', 'Harbour Lights Ltd.', 'Harbour Lights Limited'],
  ['French', 'Mme Élodie Lefèvre', 'LEFEVRE ELODIE'],
  ['French', 'S.A.R.L. Garage Dupont', 'Dupont Garage SARL'],
  ['French', 'Jean-Pierre Lœuvre', 'Jean Pierre Loeuvre'],
  ['Italian', 'Sig.ra Giulia D’Angelo', 'Dangelo Giulia'],
  ['Italian', 'Panificio Rossi S.r.l.', 'ROSSI PANIFICIO SRL'],
  ['Italian', 'Nicolò Fabbri', 'Nicolo Fabri'],
  ['Spanish', 'Dña. Begoña Ibáñez Peña', 'IBANEZ PENA, BEGONA'],
  ['Spanish', 'Talleres Iglesias, S.L.', 'Talleres Iglesias SL'],
  ['Spanish', 'José María García', 'J. M. García López'],
  ['Portuguese', 'João Conceição', 'CONCEICAO JOAO'],
  ['Portuguese', 'Padaria Simões, Lda.', 'Padaria Simoes Unipessoal Lda'],
  ['Dutch', 'Dhr. J. van den Berg', 'Vandenberg, Jan'],
  ['Dutch', 'Bakkerij de Wit B.V.', 'Bakkerij De Wit BV'],
  ['Dutch', 'Marieke Kuijpers', 'M. Kuypers'],
  ['Swedish', 'Åsa Sjöberg', 'Aasa Sjoeberg'],
  ['Swedish', 'Måleri Björk AB', 'Björk Måleri Aktiebolag'],
  ['Danish', 'Søren Østergaard', 'Soeren Oestergård'],
  ['Danish', 'Murer Kjær ApS', 'Murer Kjaer'],
  ['Finnish', 'Väinö Hämäläinen', 'Vaino Hamalainen'],
  ['Finnish', 'Rakennus Niemi Oy', 'Niemi Rakennus'],
  ['Polish', 'Łukasz Wójcik', 'WOJCIK LUKASZ'],
  ['Polish', 'Piekarnia Król Sp. z o.o.', 'Król Piekarnia spółka Sp. z o. o.'],
  ['Czech', 'Ing. Jiří Dvořák', 'Dvorak Jiri'],
  ['Czech', 'Stavební Beneš s.r.o.', 'Benes'],
  ['Hungarian', 'Kovács-Szűcs Ildikó', 'Szucs Ildiko'],
  ['Hungarian', 'Pékség Fodor Kft.', 'Fodor Pékség'],
  ['Greek', 'Γιώργος Παπαδόπουλος', 'Giorgos Papadopoulos'],
  ['Greek', 'κ. Ελένη Χατζή', 'CHATZI ELENI'],
  ['Bulgarian', 'Иван Желязков', 'Zhelyazkov Ivan'],
  ['Bulgarian', 'Бояджиев ЕООД', 'Boyadzhiev EOOD'],
  ['Romanian', 'Ștefan Țurcanu', 'Stefan Turcanu'],
]

const STRANGERS: readonly (readonly [string, string])[] = [
  ['Jürgen Müller', 'Andrea Schulz'],
  ['Anna Krause', 'Anna Lehmann'],
  ['Bäckerei Schäfer GmbH', 'Bäckerei Huber GmbH'],
  ['Dr. med. Weber', 'Dr. med. Vogel'],
  ['Sp. z o.o. Nowak', 'Sp. z o.o. Zając'],
  ['Γιώργος Βλάχος', 'Γιώργος Μακρής'],
  ['A. Schmidt', 'Anna Müller'],
  ['Peter Thomas', 'Maria Thomas'],
  ['Jan de Vries', 'Jan van den Berg'],
  ['Иван Желязков', 'Иван Бояджиев'],
  ['Lars Berg', 'Nils Björk'],
  ['Petra Weber', 'Petra Becker'],
  ['Kunde1', 'Kunde2'],
  ['Kunde1', 'Kunde11'],
]

describe('two names', () => {
  it.each(SAME)('%s: "%s" and "%s" are one customer', (_, one, other) => {
    expect([compareNames(one, other), compareNames(other, one)]).toEqual(['agrees', 'agrees'])
  })

  it.each(STRANGERS)('"%s" and "%s" differ: no word of weight is shared', (one, other) => {
    expect([compareNames(one, other), compareNames(other, one)]).toEqual(['differs', 'differs'])
  })

  it('a frequent given name agrees where it is all that one side has', () => {
    expect(compareNames('Anna', 'Anna Müller')).toBe('agrees')
    expect(compareNames('Anna M.', 'Anna Müller')).toBe('agrees')
    expect(compareNames('A. M.', 'Anna Müller')).toBe('agrees')
  })

  it('are not compared where one side has no word', () => {
    for (const none of ['', '  ', '-', '…', '***'])
      expect([compareNames(none, 'Anna Müller'), compareNames('Anna Müller', none)]).toEqual([
        'no_name',
        'no_name',
      ])
    expect(compareNames('A. S.', 'Anna Müller')).toBe('no_name')
  })

  it('a name of nothing but a legal form or a number is compared as it stands', () => {
    expect(compareNames('SAS', 'SAS')).toBe('agrees')
    expect(compareNames('Dr.', 'Anna Müller')).toBe('differs')
  })
})

describe('who a customer is', () => {
  const claim = { name: 'Jürgen Müller', orgNo: '' }
  const said = (name: string, orgNo = '') => ({ names: [name], orgNos: [orgNo] })

  it('is said by verdicts', () => {
    expect(whoIs(claim, said('Mueller'))).toBe('agrees')
    expect(whoIs(claim, said('Schulz'))).toBe('differs')
    expect(whoIs(claim, said(''))).toBe('no_name')
    expect(whoIs({ ...claim, name: '' }, said('Schulz'))).toBe('no_name')
    expect(whoIs(claim, null)).toBe('unknown')
    expect(WHO_VERDICTS).toContain('unreadable')
  })

  it.each([
    ['556123-4567', 'SE556123456701'],
    ['165561234567', '5561234567'],
    ['DE 123 456 789', '123456789'],
  ])('an organisation number that agrees outweighs a name that differs: %s and %s', (one, other) => {
    expect(whoIs({ ...claim, orgNo: one }, said('Nordwind AB', other))).toBe('agrees')
  })

  it.each([
    ['556123-4567', '556123-4568'],
    ['', ''],
    ['12', '12'],
  ])('one that differs, is empty or short says nothing: %s and %s', (one, other) => {
    expect(whoIs({ ...claim, orgNo: one }, said('Schulz', other))).toBe('differs')
    expect(whoIs({ ...claim, orgNo: one }, said('Müller', other))).toBe('agrees')
  })

  it('a second name of the service counts too', () => {
    expect(whoIs(claim, { names: ['Nordwind AB', 'Jürgen Müller'], orgNos: [] })).toBe('agrees')
    expect(whoIs(claim, { names: ['Nordwind AB', ''], orgNos: [] })).toBe('differs')
  })
})

it.each([
  ['Jürgen Müller', 'J… M…'],
  ['Ångström AB', 'Å… A…'],
  ['Bäckerei Schäfer GmbH & Co. KG', 'B… S… G… C…'],
  ['', ''],
])('a masked name %s is %s', (name, masked) => expect(maskName(name)).toBe(masked))

const DRAWN = 2_000

describe('drawn pairs', () => {
  it.each([1, 2, 3, 53, 2026])('seed %i: false alarms and missed strangers', (seed) => {
    const { same, strangers } = drawPairs(seed, DRAWN)
    const falseAlarms = same.filter((pair) => compareNames(pair.export, pair.service) === 'differs').length
    const missed = strangers.filter((pair) => compareNames(pair.export, pair.service) === 'agrees').length
    console.log(
      `seed ${seed}, ${DRAWN} pairs each: false alarms ${falseAlarms} (${(falseAlarms / DRAWN) * 100} %), missed strangers ${missed} (${(missed / DRAWN) * 100} %)`,
    )
    expect(falseAlarms / DRAWN).toBeLessThanOrEqual(0.005)
    expect(missed / DRAWN).toBeLessThanOrEqual(0.01)
  })

  it('never throw and know no order, whatever stands in the cells', () => {
    const next = generate(11)
    const letters = Array.from('aAäß øЖωα.,-& 0123\u0000\u200b漢😀İ')
    const text = () =>
      Array.from(
        { length: Math.floor(next() * 12) },
        () => letters[Math.floor(next() * letters.length)],
      ).join('')
    for (let round = 0; round < 3_000; round += 1) {
      const [one, other] = [text(), text()]
      expect(compareNames(one, other), JSON.stringify([one, other])).toBe(compareNames(other, one))
    }
    expect(compareNames('a '.repeat(5_000), 'b '.repeat(5_000))).toBe('no_name')
  })
})
