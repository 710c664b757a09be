import { foldText } from '../query/folded-text.js';

/** Two to twelve, then second to fifth, `-` where it is a common word or name in another language. */
const WORDS = `
  two three four five six seven eight nine ten eleven twelve second third fourth fifth
  zwei drei vier fünf sechs sieben acht neun zehn - zwölf zweite dritte vierte fünfte
  deux trois quatre cinq six - huit neuf dix onze douze deuxième troisième quatrième cinquième
  dos - cuatro cinco seis siete ocho nueve diez - doce segunda tercera cuarta quinta
  - tre quattro cinque - sette - nove dieci undici dodici seconda terza quarta quinta
  dois três quatro cinco seis sete oito nove dez onze doze segunda terceira quarta quinta
  twee drie vier vijf zes zeven acht negen tien - twaalf tweede derde vierde vijfde
  dwa trzy cztery pięć sześć siedem osiem dziewięć dziesięć jedenaście dwanaście druga trzecia czwarta piąta
  dva tři čtyři - šest sedm osm devět deset jedenáct dvanáct druhý třetí čtvrtý pátý
  iki üç dört beş altı yedi sekiz dokuz - - - ikinci üçüncü dördüncü beşinci
  два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать вторая третья четвёртая пятая
  два три чотири п'ять шість сім вісім дев'ять десять одинадцять дванадцять друга третя четверта п'ята
  δύο τρεις τέσσερις πέντε έξι επτά οκτώ εννέα δέκα έντεκα δώδεκα δεύτερο τρίτο τέταρτο πέμπτο
  שני שלושה ארבעה חמישה שישה שבעה שמונה תשעה עשרה - - - שלישי רביעי חמישי
  اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة - - الثاني الثالث الرابع الخامس
  दो तीन चार पांच छह सात आठ नौ दस ग्यारह बारह दूसरा तीसरा चौथा पांचवां`;

const ORDINALS_FROM = 11;

/** Numbers written as words, folded; languages that share a word share its number. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = numberWords();

function numberWords(): Map<string, number> {
  const known = new Map<string, number>();
  for (const line of WORDS.trim().split('\n')) {
    for (const [n, word] of line.trim().split(' ').entries()) {
      const { bare } = foldText(word);
      if (word.length > 2 && !known.has(bare)) {
        known.set(bare, n < ORDINALS_FROM ? n + 2 : n - ORDINALS_FROM + 2);
      }
    }
  }
  return known;
}

const ROMAN: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10 };

/** The number of `ii` to `xxxix`, and of a lone `v` or `x`. */
export function romanNumber(word: string): number | undefined {
  if (word.length > 7 || !/^x{0,3}(?:ix|iv|v?i{0,3})$/.test(word) || word === 'i') {
    return undefined;
  }
  const values = [...word].map((letter) => ROMAN[letter] ?? 0);
  const sum = values.reduce(
    (total, value, n) => total + (value < (values[n + 1] ?? 0) ? -value : value),
    0,
  );
  return sum === 0 ? undefined : sum;
}
