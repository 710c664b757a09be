import { foldText } from '../query/folded-text.js';

/** Two to twelve in Roman digits and in words; `-` where it is a common word or name of another language. */
const NUMBERS = `
  ii iii iv v vi vii viii ix x xi xii
  two three four five six seven eight nine ten eleven twelve
  zwei drei vier fünf sechs sieben acht neun zehn - zwölf
  deux trois quatre cinq - - huit neuf dix onze douze
  dos - cuatro cinco seis siete ocho nueve diez - doce
  - - quattro cinque - sette - nove dieci undici dodici
  dois três quatro cinco - sete oito - dez - -
  twee drie - vijf zes zeven - negen tien - twaalf
  dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście
  dva tři čtyři - šest sedm osm devět deset jedenáct dvanáct
  iki - dört beş altı yedi sekiz dokuz - - -
  два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать
  дві - чотири - шість сім вісім - - одинадцять дванадцять
  δύο τρεις τέσσερις πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα
  שני שלושה ארבעה חמישה שישה שבעה שמונה תשעה עשרה - -
  اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة - -
  दो तीन चार पांच छह सात आठ नौ दस ग्यारह बारह`;

const LANGUAGES = 'ar cs de el en es fr he hi it ja ko nl pl pt ru th tr uk zh'.split(' ');
/** What is shorter is often another word in another language, such as `may` and `mars`. */
const SHORTEST_NAME = 5;

/** What a folded word means that is a number, a month or a weekday: `3`, `3. month`. */
export function knownWord(word: string): string | undefined {
  // Many languages take many milliseconds, which a start needs not wait for.
  words ??= new Map([...datesIn(), ...numbersIn()]);
  return words.get(word);
}

let words: ReadonlyMap<string, string> | undefined;

function numbersIn(): readonly (readonly [string, string])[] {
  return NUMBERS.trim()
    .split('\n')
    .flatMap((line) =>
      line
        .trim()
        .split(' ')
        .map((word, n) => [foldText(word).bare, `${n + 2}`] as const),
    );
}

function datesIn(): readonly (readonly [string, string])[] {
  // In some languages a month has another form beside a day.
  const months = [{ month: 'long' }, { month: 'long', day: 'numeric' }] as const;
  const meant = (kind: 'month' | 'weekday', parts: Intl.DateTimeFormatOptions) =>
    LANGUAGES.flatMap((language) => {
      const format = new Intl.DateTimeFormat(`${language}-u-ca-gregory`, {
        ...parts,
        timeZone: 'UTC',
      });
      return Array.from({ length: kind === 'month' ? 12 : 7 }, (_, n) => {
        const date = kind === 'month' ? Date.UTC(2023, n, 1) : Date.UTC(2023, 0, 1 + n);
        const name = format.formatToParts(date).find(({ type }) => type === kind)?.value ?? '';
        return [foldText(name).bare, `${n + 1}. ${kind}`] as const;
      });
    });
  return [
    ...months.flatMap((parts) => meant('month', parts)),
    ...meant('weekday', { weekday: 'long' }),
  ].filter(([name]) => name.length >= SHORTEST_NAME || !/^[a-z]/.test(name));
}
