import { foldText } from '../query/folded-text.js';

/** Two to twelve, then second to fifth; `-` where it is a common word or name of another language. */
const NUMBERS = `
  ii iii iv v vi vii viii ix x xi xii
  two three four five six seven eight nine ten eleven twelve second third fourth fifth
  zwei drei vier fünf sechs sieben acht neun zehn - zwölf zweite dritte vierte fünfte
  deux trois quatre cinq - - huit neuf dix onze douze deuxième troisième quatrième cinquième
  dos - cuatro cinco seis siete ocho nueve diez - doce segunda tercera cuarta quinta
  - - quattro cinque - sette - nove dieci undici dodici seconda terza quarta
  dois três quatro cinco - sete oito - dez - - - terceira
  twee drie - vijf zes zeven - negen tien - twaalf tweede derde vierde vijfde
  dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć - - druga trzecia czwarta piąta
  dva tři čtyři - šest sedm osm devět deset jedenáct dvanáct druhý třetí čtvrtý pátý
  iki - dört beş altı yedi sekiz dokuz - - - ikinci üçüncü dördüncü beşinci
  два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать вторая третья четвёртая пятая
  - - чотири - шість сім вісім - - - дванадцять друга третя четверта
  δύο τρεις τέσσερις πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα δεύτερο τρίτο τέταρτο πέμπτο
  שני שלושה ארבעה חמישה שישה שבעה שמונה תשעה עשרה - - - שלישי רביעי חמישי
  اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة - - الثاني الثالث الرابع الخامس
  दो तीन चार पांच छह सात आठ नौ दस ग्यारह बारह दूसरा तीसरा चौथा पांचवां`;

/** Numbers written as words or in Roman digits, folded. */
export const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  NUMBERS.trim()
    .split('\n')
    .flatMap((line) => line.trim().split(' ').entries().toArray())
    .filter(([, word]) => word !== '-')
    .map(([n, word]) => [foldText(word).bare, `${n < 11 ? n + 2 : n - 9}`]),
);

const LANGUAGES =
  'en ar cs de el es fa fi fr he hi hu id it ja ko nl no pl pt ro ru sv th tr uk vi zh'.split(' ');
const MONTHS_AND_DAYS = [...calendarWords('long')];
/** Such as `may` and `mars`. */
const isCommon = ([word]: readonly [string, string]): boolean => /^[a-z]{1,4}$/.test(word);

/** Names of months and weekdays, folded, with what they mean: `3. month`, `0. weekday`. */
export const DATE_WORDS: ReadonlyMap<string, string> = new Map(
  MONTHS_AND_DAYS.filter((named) => !isCommon(named)),
);
/** Those that are other words, too, unless a number is beside them. */
export const DATE_WORDS_BY_NUMBERS: ReadonlyMap<string, string> = new Map([
  ...calendarWords('short'),
  ...MONTHS_AND_DAYS.filter(isCommon),
]);

function calendarWords(length: 'long' | 'short'): ReadonlyMap<string, string> {
  const words = new Map<string, string>();
  for (const language of LANGUAGES) {
    const format = (parts: Intl.DateTimeFormatOptions) =>
      new Intl.DateTimeFormat(`${language}-u-ca-gregory`, { ...parts, timeZone: 'UTC' });
    // In some languages a month has another form beside a day.
    const formats = [
      { month: length },
      { month: length, day: 'numeric' },
      { weekday: length },
    ] as const;
    for (const [kind, formatter] of formats.map(format).entries()) {
      for (let n = 0; n < (kind < 2 ? 12 : 7); n += 1) {
        const date = kind < 2 ? Date.UTC(2023, n, 1) : Date.UTC(2023, 0, 1 + n);
        const name = formatter.formatToParts(date).find(({ type }) => /month|weekday/.test(type));
        const word = foldText((name?.value ?? '').replace(/[.\d]/g, '').trim()).bare;
        if (word.length > 1 && !words.has(word)) {
          words.set(word, kind < 2 ? `${n + 1}. month` : `${n}. weekday`);
        }
      }
    }
  }
  return words;
}
