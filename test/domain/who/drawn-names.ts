import { seedChance, type Chance } from '../../support/chance.js'

/** What people and companies are called, by language: given names, surnames, trades, legal forms; the frequent ones first. */
interface Language {
  readonly given: readonly string[]
  readonly surnames: readonly string[]
  readonly trades: readonly string[]
  readonly forms: readonly string[]
  readonly titles: readonly string[]
}

interface Listed
  extends Readonly<Record<'given' | 'surnames', string>>, Omit<Language, 'given' | 'surnames'> {}

/** `_` is a blank within a name. */
const list = (text: string): string[] => text.split(' ').map((word) => word.replaceAll('_', ' '))

const WORDS: Readonly<Record<string, Listed>> = {
  de: {
    given:
      'Maria Michael Thomas Anna Andreas Peter Ursula Stefan Sabine Christian Monika Martin Petra Jürgen Claudia Markus Birgit Daniel Katharina Wolfgang Heike Uwe Silke Jörg Anja Rüdiger Ulrike Volker Gudrun Holger Edeltraud Lothar Anneliese Detlef Roswitha Torsten Svenja Malte Wiebke Götz',
    surnames:
      'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Krause Lehmann Köhler Herrmann König Walter Mayer Huber Kaiser Fuchs Scholz Möller Weiß Jung Hahn Schubert Vogel Friedrich Keller Günther Frank Berger Winkler Roth Beck Lorenz Baumann Franke Albrecht Schuster Simon Ludwig Böhm Winter Kraus',
    trades: ['Bäckerei', 'Autohaus', 'Hausverwaltung', 'Elektro', 'Gasthaus', 'Praxis', 'Spedition'],
    forms: ['GmbH', 'GmbH & Co. KG', 'AG', 'e.K.', 'OHG', 'UG (haftungsbeschränkt)', 'e.V.'],
    titles: ['Herr', 'Frau', 'Dr.', 'Prof. Dr.', 'Familie', 'Eheleute'],
  },
  fr: {
    given:
      'Marie Jean Pierre Nathalie Michel Philippe Isabelle Nicolas Sylvie Christophe Catherine Laurent Valérie Julien Sandrine Stéphane Véronique Olivier Céline Thierry Élodie Aurélie Mathieu Bérangère Gaëtan Solène Yves Odile Ghislain Maxence Clémence Régis Maëlle Loïc Hélène Fabrice Anaïs Benoît Josiane Quentin',
    surnames:
      'Martin Bernard Dubois Thomas Robert Richard Petit Durand Leroy Moreau Simon Laurent Lefebvre Michel Garcia David Bertrand Roux Vincent Fournier Morel Girard André Lefèvre Mercier Dupont Lambert Bonnet François Martinez Legrand Garnier Faure Rousseau Blanc Guérin Muller Henry Roussel Nicolas Perrin Morin Mathieu Clément Gauthier Dumont Lopez Fontaine Chevalier Robin Masson Sanchez Gérard Nguyen Boyer Denis Lemaire Duval Joly Gautier',
    trades: ['Boulangerie', 'Garage', 'Pharmacie', 'Menuiserie', 'Plomberie', 'Transports'],
    forms: ['SARL', 'SAS', 'SA', 'EURL', 'S.A.R.L.', 'SCI'],
    titles: ['M.', 'Mme', 'Monsieur', 'Madame', 'Mlle'],
  },
  it: {
    given:
      'Giuseppe Maria Giovanni Anna Antonio Mario Giuseppina Luigi Rosa Francesco Angela Marco Giulia Alessandro Paola Andrea Laura Stefano Elisabetta Roberto Tommaso Ludovica Gianluca Ornella Pasquale Loredana Ezio Fiorella Nicolò Immacolata Gaetano Donatella Umberto Patrizia Renzo Mirella Cosimo Agnese Edoardo Beatrice',
    surnames:
      'Rossi Russo Ferrari Esposito Bianchi Romano Colombo Ricci Marino Greco Bruno Gallo Conti Costa Giordano Mancini Rizzo Lombardi Moretti Barbieri Fontana Santoro Mariani Rinaldi Caruso Ferrara Galli Martini Leone Longo Gentile Martinelli Vitale Lombardo Serra Coppola Marchetti Parisi Villa Conte Ferraro Ferri Fabbri Bianco Marini Grasso Valentini Messina Sala Gatti Pellegrini Palumbo Sanna Farina Rizzi Monti Cattaneo Morelli Amato Silvestri',
    trades: ['Panificio', 'Farmacia', 'Ristorante', 'Impresa', 'Officina', 'Studio'],
    forms: ['S.r.l.', 'Srl', 'S.p.A.', 'SpA', 'S.n.c.', 'S.a.s.'],
    titles: ['Sig.', 'Sig.ra', 'Dott.', 'Avv.', 'Spett.le Ditta'],
  },
  es: {
    given:
      'María José Antonio Carmen Manuel Ana Francisco Isabel Juan Dolores David Laura Javier Cristina Daniel Marta Carlos Pilar Jesús Lucía Alejandro Rocío Íñigo Nuria Óscar Montserrat Gonzalo Inmaculada Álvaro Begoña Ignacio Encarnación Rubén Esperanza Félix Yolanda Ramiro Amparo Gorka Maite',
    surnames:
      'García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Hernández Ruiz Díaz Moreno Muñoz Álvarez Romero Gutiérrez Alonso Navarro Torres Domínguez Ramos Vázquez Ramírez Gil Serrano Morales Molina Blanco Suárez Castro Ortega Delgado Ortiz Marín Rubio Núñez Medina Sanz Castillo Iglesias Cortés Garrido Santos Guerrero Lozano Cano Cruz Méndez Flores Prieto Herrera Peña León Márquez Cabrera Gallego Calvo',
    trades: ['Panadería', 'Talleres', 'Farmacia', 'Construcciones', 'Restaurante', 'Transportes'],
    forms: ['S.L.', 'SL', 'S.A.', 'S.L.U.', 'S.C.'],
    titles: ['D.', 'Dña.', 'Sr.', 'Sra.', 'Don'],
  },
  pt: {
    given:
      'Maria José Ana António Manuel João Paulo Carlos Isabel Luís Teresa Pedro Rui Sofia Fernanda Nuno Helena Tiago Catarina Joaquim Filipa Gonçalo Conceição Vítor Graça Hélder Lurdes Duarte Fátima Armando Graciete Vasco Mafalda Sérgio Leonor Abílio Benedita Telmo Ofélia Mateus',
    surnames:
      'Silva Santos Ferreira Pereira Oliveira Costa Rodrigues Martins Sousa Fernandes Gonçalves Gomes Lopes Marques Alves Almeida Ribeiro Pinto Carvalho Teixeira Moreira Correia Mendes Nunes Soares Vieira Monteiro Cardoso Rocha Neves Coelho Cruz Cunha Pires Ramos Reis Simões Antunes Matos Fonseca Machado Araújo Barbosa Tavares Lourenço Castro Figueiredo Azevedo Freitas Magalhães Henriques Lima Guerreiro Baptista Pinheiro Faria Miranda Barros Morais Nogueira',
    trades: ['Padaria', 'Farmácia', 'Construções', 'Clínica', 'Comércio'],
    forms: ['Lda', 'Lda.', 'S.A.', 'Unipessoal Lda'],
    titles: ['Sr.', 'Sra.', 'Exmo. Senhor', 'Dr.'],
  },
  nl: {
    given:
      'Johannes Maria Jan Johanna Cornelis Anna Hendrik Elisabeth Willem Cornelia Pieter Sanne Dirk Eva Jeroen Lisa Martijn Femke Sander Wilma Rutger Annemiek Joost Marieke Wouter Truus Bram Hanneke Gijs Ineke Tjeerd Saskia Maarten Fleur Ruben Nienke Sjoerd Liesbeth Koen Roos',
    surnames:
      'de_Jong Jansen de_Vries van_den_Berg van_Dijk Bakker Janssen Visser Smit Meijer de_Boer Mulder de_Groot Bos Vos Peters Hendriks van_Leeuwen Dekker Brouwer de_Wit Dijkstra Smits de_Graaf van_der_Meer van_der_Linden Kok Jacobs de_Haan Vermeulen van_den_Heuvel van_de_Ven van_der_Veen van_den_Broek de_Bruijn van_der_Heijden Schouten van_Beek Willems van_Vliet Hoekstra Maas Verhoeven Koster van_Dam Prins Blom Huisman Peeters Kuipers van_Veen Veenstra Post Kramer van_den_Brink Scholten van_Wijk Postma Martens Vink',
    trades: ['Bakkerij', 'Slagerij', 'Bouwbedrijf', 'Apotheek', 'Beheer'],
    forms: ['B.V.', 'BV', 'N.V.', 'V.O.F.'],
    titles: ['Dhr.', 'Mevr.', 'De heer', 'Mw.'],
  },
  sv: {
    given:
      'Maria Karl Anna Lars Margareta Anders Eva Johan Elisabeth Per Kristina Erik Birgitta Nils Karin Mikael Ingrid Fredrik Sara Gustaf Åsa Göran Ulrika Håkan Gunilla Sven Agneta Tobias Malin Örjan Annika Stig Linnéa Rolf Viveka Torbjörn Maj Emil Hedvig Kjell',
    surnames:
      'Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Pettersson Jonsson Jansson Hansson Bengtsson Jönsson Lindberg Jakobsson Magnusson Lindström Olofsson Lindqvist Lindgren Berg Axelsson Bergström Lundberg Lind Lundgren Lundqvist Mattsson Berglund Fredriksson Sandberg Henriksson Forsberg Sjöberg Wallin Engström Eklund Danielsson Lundin Håkansson Björk Bergman Gunnarsson Holm Wikström Samuelsson Isaksson Fransson Bergqvist Nyström Holmberg Arvidsson Löfgren Söderberg Nyberg Blomqvist Claesson',
    trades: ['Bageri', 'Bygg', 'Fastigheter', 'Måleri', 'Åkeri', 'Konsult'],
    forms: ['AB', 'HB', 'Aktiebolag', 'KB'],
    titles: ['Herr', 'Fru', 'Dr'],
  },
  da: {
    given:
      'Anne Peter Kirsten Jens Hanne Lars Mette Michael Anna Henrik Susanne Thomas Lene Søren Marianne Niels Karen Christian Inge Jørgen Bente Ole Pia Bo Gitte Kaj Birthe Steen Dorte Flemming Tove Troels Vibeke Asger Ulla Palle Rikke Mogens Solveig Bjarke',
    surnames:
      'Nielsen Jensen Hansen Andersen Pedersen Christensen Larsen Sørensen Rasmussen Jørgensen Petersen Madsen Kristensen Olsen Thomsen Christiansen Poulsen Johansen Møller Mortensen Knudsen Jakobsen Jacobsen Mikkelsen Frederiksen Olesen Laursen Henriksen Lund Schmidt Eriksen Holm Kristiansen Clausen Simonsen Svendsen Andreasen Iversen Østergaard Jeppesen Mogensen Jespersen Nissen Lauridsen Frandsen Kjær Jepsen Vestergaard Bertelsen Dahl Brandt Christoffersen Overgaard Nørgaard Lassen Bech Kofoed Thorsen Skov Bruun',
    trades: ['Bageri', 'Murer', 'Tømrer', 'Ejendomme', 'VVS'],
    forms: ['ApS', 'A/S', 'I/S', 'K/S'],
    titles: ['Hr.', 'Fru', 'Dr.'],
  },
  fi: {
    given:
      'Maria Juhani Helena Johannes Anneli Mikael Johanna Olavi Kaarina Antero Marjatta Tapani Hannele Matti Kristiina Tapio Tuula Pekka Päivi Jukka Heikki Satu Veikko Riitta Kalevi Sinikka Esa Outi Jorma Eeva Raimo Pirjo Seppo Leena Väinö Aino Ilkka Marketta Onni Venla',
    surnames:
      'Korhonen Virtanen Mäkinen Nieminen Mäkelä Hämäläinen Laine Heikkinen Koskinen Järvinen Lehtonen Lehtinen Saarinen Niemi Salminen Heinonen Heikkilä Salonen Kinnunen Turunen Salo Laitinen Tuominen Rantanen Karjalainen Jokinen Mattila Savolainen Lahtinen Ahonen Ojala Leppänen Kallio Väisänen Hiltunen Leinonen Miettinen Aaltonen Pitkänen Manninen Hakala Koivisto Anttila Laaksonen Hirvonen Räsänen Lehto Laakso Toivonen Mustonen Aalto Rantala Nurmi Peltonen Moilanen Partanen Hyvönen Kettunen Lappalainen Seppälä',
    trades: ['Leipomo', 'Rakennus', 'Kiinteistö', 'Kuljetus', 'Huolto'],
    forms: ['Oy', 'Ky', 'Tmi', 'Oyj', 'Oy Ab'],
    titles: ['Herra', 'Rouva'],
  },
  pl: {
    given:
      'Anna Jan Maria Andrzej Katarzyna Piotr Małgorzata Krzysztof Agnieszka Stanisław Barbara Tomasz Ewa Paweł Krystyna Józef Elżbieta Marcin Magdalena Marek Grażyna Ryszard Bożena Wiesław Halina Zdzisław Dorota Bogdan Jadwiga Jarosław Beata Wojciech Danuta Mirosław Renata Czesław Iwona Leszek Urszula Sławomir',
    surnames:
      'Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski Mazur Jankowski Kwiatkowski Wojciechowski Krawczyk Kaczmarek Piotrowski Grabowski Zając Pawłowski Król Michalski Wróbel Wieczorek Jabłoński Nowakowski Majewski Olszewski Dudek Stępień Jaworski Adamczyk Malinowski Górski Pawlak Nowicki Sikora Witkowski Rutkowski Walczak Baran Michalak Szewczyk Ostrowski Tomaszewski Zalewski Wróblewski Pietrzak Jasiński Marciniak Sadowski Duda Bąk Zawadzki Jakubowski Wilk Chmielewski Borkowski',
    trades: ['Piekarnia', 'Apteka', 'Przedsiębiorstwo', 'Sklep', 'Zakład'],
    forms: ['Sp. z o.o.', 'sp. z o. o.', 'S.A.', 'sp.j.'],
    titles: ['Pan', 'Pani', 'mgr inż.'],
  },
  el: {
    given:
      'Γιώργος Μαρία Ιωάννης Ελένη Κωνσταντίνος Κατερίνα Δημήτρης Βασιλική Νίκος Σοφία Παναγιώτης Αναστασία Βασίλης Ευαγγελία Χρήστος Γεωργία Αθανάσιος Δέσποινα Μιχάλης Χριστίνα Σπύρος Φωτεινή Ανδρέας Παρασκευή Θεόδωρος Στυλιανή Απόστολος Ευτυχία Στέφανος Ουρανία Φίλιππος Πηνελόπη Λεωνίδας Αγγελική Μάριος Ζωή Ηλίας Καλλιόπη Αριστείδης Θάλεια',
    surnames:
      'Παπαδόπουλος Παπαδάκης Βλάχος Αγγελόπουλος Νικολαΐδης Γεωργίου Οικονόμου Δημητρίου Κωνσταντινίδης Παπαγεωργίου Ιωαννίδης Αλεξίου Μακρής Καραγιάννης Αντωνίου Βασιλείου Παππάς Λάμπρου Χατζής Σταύρου Μιχαηλίδης Πετρόπουλος Σωτηρίου Θεοδώρου Ζαχαρίου Κόκκινος Μαρκόπουλος Τσακίρης Κουρτίδης Ρήγας Φωτίου Σαμαράς Κεφαλάς Λιάπης Τζανής Βενιζέλος Σπανός Γκίκας Δούκας Κατσαρός Ανδρεάδης Λαζαρίδης Φραγκούλης Μπάκας Ξενάκης Πολίτης Ράλλης Σιδέρης Τριανταφύλλου Χριστοδούλου Ψαρράς Ευσταθίου Ζερβός Ηλιόπουλος Καλογερόπουλος Λυμπέρης Μανωλάκης Νταλάρας Περράκης Χαραλάμπους',
    trades: ['Αρτοποιείο', 'Φαρμακείο', 'Εστιατόριο'],
    forms: ['Α.Ε.', 'Ε.Π.Ε.', 'Ι.Κ.Ε.', 'Ο.Ε.'],
    titles: ['κ.', 'Κύριος', 'Κυρία'],
  },
  hu: {
    given:
      'Mária László Erzsébet István Katalin József Ilona János Éva Zoltán Anna Sándor Zsuzsanna Gábor Margit Ferenc Judit Attila Ágnes Péter Andrea Tamás Ildikó Zsolt Erika Tibor Krisztina András Irén Csaba Magdolna Imre Eszter Lajos Piroska György Gabriella Balázs Edit Mihály',
    surnames:
      'Nagy Kovács Tóth Szabó Horváth Varga Kiss Molnár Németh Farkas Balogh Papp Takács Juhász Lakatos Mészáros Oláh Simon Rácz Fekete Szilágyi Török Fehér Balázs Gál Szűcs Orsós Kocsis Fodor Pintér Szalai Sipos Magyar Lukács Gulyás Biró Király László Katona Jakab Bogdán Balog Sándor Boros Fazekas Kelemen Antal Váradi Somogyi Fülöp Orosz Vincze Veres Hegedüs Deák Budai Pap Bálint Illés Szőke',
    trades: ['Pékség', 'Gyógyszertár', 'Építő', 'Kereskedelmi', 'Szolgáltató'],
    forms: ['Kft.', 'Bt.', 'Zrt.', 'Kft'],
    titles: ['Dr.', 'id.', 'ifj.', 'özv.'],
  },
}
const LANGUAGES: Readonly<Record<string, Language>> = Object.fromEntries(
  Object.entries(WORDS).map(([language, { given, surnames, ...words }]) => [
    language,
    { ...words, given: list(given), surnames: list(surnames) },
  ]),
)
const LANGUAGE_NAMES = Object.keys(LANGUAGES)

const PLACES = list(
  'Nord Süd Alfa Delta Orion Sirius Vega Castor Aurora Boreas Meridian Zenit Atlas Helios Triton Phoenix Kronos Titan Argo Electra Lyra Nova Polaris Quasar Rigel Saturn Tellus Urania Vulcan Zephyr',
)

/** How many of a hundred have one of the sixty most frequent surnames, roughly, as statistical offices count them. */
const FREQUENT: Readonly<Record<string, number>> = {
  de: 13,
  fr: 9,
  it: 7,
  es: 40,
  pt: 45,
  nl: 14,
  sv: 28,
  da: 48,
  fi: 13,
  pl: 10,
  el: 12,
  hu: 32,
}
/** All others are rare: made of a stem and an ending, so that hardly two are one. */
const STEMS = list(
  'Alten Brinken Castel Dorn Eichen Falken Grün Hasel Immen Kalten Linden Mohr Nieder Ober Quell Rosen Stein Tannen Ulmen Vogt Wald Zell Berch Cleven Drosten Fehr Gabler Hollen Ketten Lauten',
)
const MIDDLES = list('a be do fi gu ko la me no pu ri sa te vo zi har bel dun fel gor')
const ENDINGS: Readonly<Record<string, readonly string[]>> = {
  de: list('bach berger feld hauer mann meister steiner thal wirth zer'),
  fr: list('aud eau ière ignac ignon ard elle igny oux ain'),
  it: list('etti ini oni ucci ardi ese aldi asco ello ano'),
  es: list('ena era illo osa uela ado ón eta al ano'),
  pt: list('inho eira edo ães al osa ão ete ada eiro'),
  nl: list('broek dijk hof huis kamp loo mans stra veld wijk'),
  sv: list('blad dahl fors gren hult kvist löf mark ström vall'),
  da: list('bæk dal gaard holt kjær lund mose rup strup toft'),
  fi: list('la nen mäki ranta saari järvi vaara niemi joki oja'),
  pl: list('acki czak ecki icz iński oń szek uch wicz yna'),
  el: list('άκης όπουλος ίδης άτος ούσης έας ιάδης άκος ούλας ώνης'),
  hu: list('ai di házi falvi kői laki mori szegi völgyi vári'),
}

function surnameOf(chance: Chance, language: string): string {
  if (chance.happens(FREQUENT[language]! / 100)) return often(chance, LANGUAGES[language]!.surnames)
  return `${chance.pick(STEMS)}${chance.pick(MIDDLES)}${chance.pick(ENDINGS[language]!)}`
}

/** In Spain and Portugal people have two. */
const surnamesOf = (chance: Chance, language: string): string =>
  ['es', 'pt'].includes(language)
    ? `${surnameOf(chance, language)} ${surnameOf(chance, language)}`
    : surnameOf(chance, language)

/** The frequent ones come more often, as far as the tenth comes half as often as the first. */
function often(chance: Chance, names: readonly string[]): string {
  const weights = names.map((_, at) => 1 / (at + 10))
  let left = chance.next() * weights.reduce((sum, weight) => sum + weight, 0)
  return names[weights.findIndex((weight) => (left -= weight) < 0)] ?? names[0]!
}

export interface Drawn {
  readonly language: string
  /** As one system writes it. */
  readonly name: string
  /** The same customer as another system writes it. */
  readonly same: () => string
}

/** A customer: three of four are people. */
function drawCustomer(chance: Chance, language = chance.pick(LANGUAGE_NAMES)): Drawn {
  const words = LANGUAGES[language]!
  if (chance.happens(0.25)) return drawCompany(chance, language, words)
  const given = often(chance, words.given)
  const surname = surnamesOf(chance, language)
  const second = often(chance, words.given)
  return {
    language,
    name: `${given} ${surname}`,
    same: () => respell(chance, words, { given, second, surname, other: surnamesOf(chance, language) }),
  }
}

function drawCompany(chance: Chance, language: string, { trades, forms }: Language): Drawn {
  const surname = surnameOf(chance, language)
  const core = chance.happens(0.5)
    ? `${chance.pick(trades)} ${surname}`
    : `${chance.pick(PLACES)}${chance.pick(['', '-', ' '])}${surname.replaceAll(' ', '')} ${chance.pick(trades)}`
  const same = (): string => {
    const form = chance.pick(forms)
    const written = chance.pick([`${core} ${form}`, core, `${core}, ${form}`, `${form} ${core}`])
    return notation(chance, written)
  }
  return { language, name: `${core} ${chance.pick(forms)}`, same }
}

interface Person {
  readonly given: string
  readonly second: string
  readonly surname: string
  readonly other: string
}

/** Most are the same words; 3 of 100 are spelt otherwise, 1 of 100 has married or moved. */
function respell(chance: Chance, words: Language, { given, second, surname, other }: Person): string {
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
    title: `${chance.pick(words.titles)} ${given} ${surname}`,
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

const SPELT: Readonly<Record<string, string>> = {
  ä: 'ae',
  ö: 'oe',
  ü: 'ue',
  ß: 'ss',
  å: 'aa',
  ø: 'oe',
  æ: 'ae',
  Ö: 'Oe',
  Ä: 'Ae',
  Å: 'Aa',
  Ø: 'Oe',
}

function notation(chance: Chance, name: string): string {
  switch (chance.weigh({ same: 55, capitals: 20, spelt: 12, plain: 10, blanks: 3 } as const)) {
    case 'capitals':
      return name.toUpperCase()
    case 'spelt':
      return name.replace(/[äöüßåøæÖÄÅØ]/g, (letter) => SPELT[letter]!)
    case 'plain':
      return name.normalize('NFD').replace(/\p{M}/gu, '').replace(/ł/g, 'l').replace(/ø/g, 'o')
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
    /** Two customers of one language, as they follow each other in a file. */
    strangers: Array.from({ length: count }, () => {
      const one = drawCustomer(chance)
      let other = drawCustomer(chance, one.language)
      while (other.name === one.name) other = drawCustomer(chance, one.language)
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
