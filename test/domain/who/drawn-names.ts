import { seedChance, type Chance } from '../../support/chance.js'

/** `_` is a blank within a name. */
const list = (text: string): string[] => text.split(' ').map((word) => word.replaceAll('_', ' '))

/** What people and companies are called in one language, the frequent names first; names.test.ts has pairs of all. */
const GIVEN = list(
  'Maria Michael Thomas Anna Andreas Peter Ursula Stefan Sabine Christian Monika Martin Petra Jürgen Claudia Markus Birgit Daniel Katharina Wolfgang Heike Uwe Silke Jörg Anja Rüdiger Ulrike Volker Gudrun Holger Edeltraud Lothar Anneliese Detlef Roswitha Torsten Svenja Malte Wiebke Götz',
)
const SURNAMES = list(
  'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Krause Lehmann Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus',
)
const TRADES = ['Bäckerei', 'Autohaus', 'Hausverwaltung', 'Elektro', 'Gasthaus', 'Praxis', 'Spedition']
const FORMS = ['GmbH', 'GmbH & Co. KG', 'AG', 'e.K.', 'OHG', 'UG (haftungsbeschränkt)', 'e.V.']
const TITLES = ['Herr', 'Frau', 'Dr.', 'Prof. Dr.', 'Familie', 'Eheleute']
const PLACES = list(
  'Nord Süd Alfa Delta Orion Sirius Vega Castor Aurora Boreas Meridian Zenit Atlas Helios Triton Phoenix Kronos Titan Argo Electra Lyra Nova Polaris Quasar Rigel Saturn Tellus Urania Vulcan Zephyr',
)

/** All others are rare: made of a stem and an ending, so that hardly two are one. */
const STEMS = list(
  'Alten Brinken Castel Dorn Eichen Falken Grün Hasel Immen Kalten Linden Mohr Nieder Ober Quell Rosen Stein Tannen Ulmen Vogt Wald Zell Berch Cleven Drosten Fehr Gabler Hollen Ketten Lauten',
)
const MIDDLES = list('a be do fi gu ko la me no pu ri sa te vo zi har bel dun fel gor')
const ENDINGS = list('bach berger feld hauer mann meister steiner thal wirth zer')

/** Of a hundred, roughly so many have one of the sixty most frequent surnames, as statistical offices count them. */
const surnameOf = (chance: Chance): string =>
  chance.happens(0.13)
    ? often(chance, SURNAMES)
    : `${chance.pick(STEMS)}${chance.pick(MIDDLES)}${chance.pick(ENDINGS)}`

/** The frequent ones come more often, as far as the tenth comes half as often as the first. */
function often(chance: Chance, names: readonly string[]): string {
  const weights = names.map((_, at) => 1 / (at + 10))
  let left = chance.next() * weights.reduce((sum, weight) => sum + weight, 0)
  return names[weights.findIndex((weight) => (left -= weight) < 0)] ?? names[0]!
}

interface Drawn {
  /** As one system writes it. */
  readonly name: string
  /** The same customer as another system writes it. */
  readonly same: () => string
}

/** A customer: three of four are people. */
function drawCustomer(chance: Chance): Drawn {
  if (chance.happens(0.25)) return drawCompany(chance)
  const [given, surname, second] = [often(chance, GIVEN), surnameOf(chance), often(chance, GIVEN)]
  return {
    name: `${given} ${surname}`,
    same: () => respell(chance, { given, second, surname, other: surnameOf(chance) }),
  }
}

function drawCompany(chance: Chance): Drawn {
  const surname = surnameOf(chance)
  const core = chance.happens(0.5)
    ? `${chance.pick(TRADES)} ${surname}`
    : `${chance.pick(PLACES)}${chance.pick(['', '-', ' '])}${surname} ${chance.pick(TRADES)}`
  const same = (): string => {
    const form = chance.pick(FORMS)
    const written = chance.pick([`${core} ${form}`, core, `${core}, ${form}`, `${form} ${core}`])
    return notation(chance, written)
  }
  return { name: `${core} ${chance.pick(FORMS)}`, same }
}

interface Person {
  readonly given: string
  readonly second: string
  readonly surname: string
  readonly other: string
}

/** Most are the same words; 3 of 100 are spelt otherwise, 1 of 100 has married or moved. */
function respell(chance: Chance, { given, second, surname, other }: Person): string {
  const name = chance.weigh({
    same: 70,
    turned: 12,
    title: 5,
    initial: 4,
    second: 3,
    both: 2,
    typo: 3,
    double: 0.7,
    married: 0.3,
  })
  const written = {
    same: `${given} ${surname}`,
    turned: chance.pick([`${surname} ${given}`, `${surname}, ${given}`]),
    title: `${chance.pick(TITLES)} ${given} ${surname}`,
    initial: `${Array.from(given)[0]!}. ${surname}`,
    second: chance.pick([`${given} ${second} ${surname}`, `${given}-${second} ${surname}`]),
    both: `${given} & ${second} ${surname}`,
    typo: mistype(chance, given, surname),
    double: chance.pick([`${given} ${surname}-${other}`, `${given} ${other} ${surname}`]),
    married: `${given} ${other}`,
  }[name]
  return notation(chance, written)
}

function mistype(chance: Chance, given: string, surname: string): string {
  const letters = Array.from(surname)
  const at = chance.between(1, letters.length - 1)
  const wrong = chance.pick([
    [...letters.slice(0, at), ...letters.slice(at + 1)],
    [...letters.slice(0, at), letters[at]!, ...letters.slice(at)],
    [...letters.slice(0, at - 1), letters[at]!, letters[at - 1]!, ...letters.slice(at + 1)],
  ])
  return `${given} ${wrong.join('')}`
}

const SPELT: Readonly<Record<string, string>> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', Ö: 'Oe', Ä: 'Ae' }

function notation(chance: Chance, name: string): string {
  switch (chance.weigh({ same: 55, capitals: 20, spelt: 12, plain: 10, blanks: 3 } as const)) {
    case 'capitals':
      return name.toUpperCase()
    case 'spelt':
      return name.replace(/[äöüßÖÄ]/g, (letter) => SPELT[letter]!)
    case 'plain':
      return name.normalize('NFD').replace(/\p{M}/gu, '')
    case 'blanks':
      return ` ${name.replaceAll(' ', '  ')}`
    default:
      return name
  }
}

export const drawPairs = (seed: number, count: number) => {
  const chance = seedChance(seed)
  return {
    /** Two spellings of one customer. */
    same: Array.from({ length: count }, () => {
      const drawn = drawCustomer(chance)
      return { export: drawn.same(), service: drawn.name }
    }),
    /** Two customers, as they follow each other in a file. */
    strangers: Array.from({ length: count }, () => {
      const one = drawCustomer(chance)
      let other = drawCustomer(chance)
      while (other.name === one.name) other = drawCustomer(chance)
      return { export: one.same(), service: other.name }
    }),
  }
}

/** Different customers with the name that the export has of each. */
export function drawCustomers(seed: number, count: number): { name: string; same: string }[] {
  const chance = seedChance(seed)
  const drawn = new Map<string, string>()
  while (drawn.size < count) {
    const { name, same } = drawCustomer(chance)
    drawn.set(name, same().trim())
  }
  return [...drawn].map(([name, same]) => ({ name, same }))
}
