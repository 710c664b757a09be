import { describe, expect, it } from '@jest/globals';
import iconv from 'iconv-lite';
import { decodeDocument } from './decode-document.js';

const decode = (bytes: Uint8Array, contentType: string | null = null): string =>
  decodeDocument({ bytes, contentType, url: 'https://example.org/feed' });

const feed = (charset: string | null, text: string): string =>
  `<?xml version="1.0"${charset === null ? '' : ` encoding="${charset}"`}?><rss><t>${text}</t></rss>`;

const mark = (bytes: readonly number[], text: Buffer): Buffer =>
  Buffer.concat([Buffer.from(bytes), text]);

describe('the encoding of a document', () => {
  it.each([
    ['utf-8', 'Größe ✓ 漢字'],
    ['iso-8859-1', 'Größe'],
    ['iso-8859-2', 'Příliš žluťoučký'],
    ['iso-8859-5', 'Новости дня'],
    ['iso-8859-7', 'Καλημέρα'],
    ['iso-8859-9', 'İstanbul ışık'],
    ['iso-8859-15', 'Preis: 5 €'],
    ['windows-1250', 'Żółć „cytat”'],
    ['windows-1251', 'Новости дня'],
    ['windows-1252', '“quoted” – naïve'],
    ['windows-1253', 'Καλημέρα'],
    ['windows-1255', 'שלום'],
    ['windows-1256', 'مرحبا'],
    ['windows-1257', 'Lietuvių žinios'],
    ['koi8-r', 'Новости дня'],
    ['koi8-u', 'Їжак і ґанок'],
    ['macroman', 'Größe – naïve'],
    ['cp437', 'Ç and ü'],
    ['cp850', 'Größe'],
    ['ibm866', 'Новости'],
    ['shift_jis', '日本語のニュース'],
    ['euc-jp', '日本語のニュース'],
    ['big5', '繁體中文新聞'],
    ['gb2312', '简体中文新闻'],
    ['gbk', '简体中文镕'],
    ['gb18030', '简体中文𠀀'],
    ['euc-kr', '한국어 소식'],
    ['tis-620', 'ข่าววันนี้'],
  ])('%s is read as the XML declaration says', (charset, text) => {
    const bytes = iconv.encode(feed(charset, text), charset);

    expect(decode(bytes)).toContain(`<t>${text}</t>`);
  });

  it.each([
    ['utf-16le', [0xff, 0xfe]],
    ['utf-16be', [0xfe, 0xff]],
    ['utf-32le', [0xff, 0xfe, 0, 0]],
    ['utf-32be', [0, 0, 0xfe, 0xff]],
    ['utf-8', [0xef, 0xbb, 0xbf]],
  ])(
    '%s is detected by its byte order mark, in spite of header and declaration',
    (charset, bytes) => {
      const text = iconv.encode(feed('iso-8859-1', 'Größe 漢'), charset, { addBOM: false });

      const decoded = decode(mark(bytes, text), 'text/xml; charset=koi8-r');

      expect(decoded).toMatch(/^<\?xml.*Größe 漢/);
    },
  );

  it.each(['utf-16le', 'utf-16be', 'utf-32le', 'utf-32be'])(
    '%s without a mark is detected by its zero bytes',
    (charset) => {
      const bytes = iconv.encode(feed(charset, 'Größe 漢'), charset, { addBOM: false });

      expect(decode(bytes)).toContain('Größe 漢');
    },
  );

  it.each([
    ['text/xml; charset=iso-8859-1'],
    ['application/rss+xml;charset="windows-1251"'],
    ["text/xml; charset='us-ascii'"],
    ['text/xml'],
  ])('valid UTF-8 is UTF-8 in spite of the Content-Type %s', (contentType) => {
    expect(decode(Buffer.from(feed('iso-8859-1', 'Größe')), contentType)).toContain('Größe');
  });

  it('the Content-Type wins over the XML declaration if the bytes permit both', () => {
    const bytes = iconv.encode(feed('iso-8859-1', 'Новости'), 'windows-1251');

    expect(decode(bytes, 'application/xml; charset=windows-1251')).toContain('Новости');
  });

  it.each(['utf-8', 'utf-16', 'no-such-charset', 'us-ascii', 'ANSI_X3.4-1968', ''])(
    'a wrong declaration (%j) does not lose the bytes of windows-1252',
    (charset) => {
      const bytes = iconv.encode(feed(charset, 'naïve café – “so”'), 'windows-1252');

      expect(decode(bytes)).toContain('“so”');
    },
  );

  it('an undeclared charset is guessed', () => {
    const text = 'Сегодня в городе прошла встреча с избирателями, сообщает агентство новостей.';

    expect(decode(iconv.encode(feed(null, text), 'windows-1251'))).toContain(text);
  });

  it.each([
    ['windows-1251', 'Сегодня в городе прошла встреча с избирателями'],
    ['koi8-r', 'Сегодня в городе прошла встреча с избирателями'],
    ['iso-8859-5', 'Сегодня в городе прошла встреча с избирателями'],
    ['windows-1253', 'Τα τελευταία νέα από την Ελλάδα'],
    ['windows-1255', 'החדשות האחרונות מישראל: הממשלה הודיעה היום'],
    ['windows-1256', 'آخر الأخبار من العالم العربي أعلنت الحكومة'],
    ['tis-620', 'ข่าวล่าสุดจากประเทศไทย รัฐบาลประกาศนโยบายเศรษฐกิจใหม่ในวันนี้'],
    ['shift_jis', '日本の最新ニュースをお届けします。政府は今日、新しい経済政策を'],
    ['euc-jp', '日本の最新ニュースをお届けします。政府は今日、新しい経済政策を'],
    ['euc-kr', '한국의 최신 뉴스를 전해 드립니다. 정부는 오늘'],
    ['big5', '繁體中文新聞：台北市政府今天宣布新的交通政策'],
    ['gb2312', '中国最新新闻报道：政府今天宣布了新的经济政策'],
    ['windows-1252', 'Les dernières nouvelles : déjà vu à Noël, “café” et l’été'],
    ['iso-8859-1', 'Größere Änderungen möglich, über die natürlich später entschieden wird'],
  ])('undeclared %s is guessed although most of the document is English', (charset, text) => {
    const english =
      '<item><title>English one</title><link>http://www.example.org/2004/10/10/long.html</link></item>';
    const bytes = iconv.encode(feed(null, `${english.repeat(20)}${text}`), charset);

    expect(decode(bytes)).toContain(text);
    expect(decode(bytes, 'text/xml; charset=utf-8')).toContain(text);
  });

  it.each([
    ['windows-1252', 'Café crème'],
    ['windows-1252', 'El niño español, mañana'],
    ['windows-1250', 'Az árvíztűrő tükörfúrógép őrült kérdései'],
    ['windows-1254', 'Türkiye haberleri: gün, şehir, İstanbul, çağrı, ağaç'],
    ['windows-874', 'ข่าว'],
    ['windows-874', 'สวัสดี'],
    ['windows-874', 'ภาษาไทย'],
    ['windows-874', 'นายกรัฐมนตรี'],
    ['windows-874', 'กรุงเทพมหานคร เป็นเมืองหลวงของประเทศไทย'],
  ])('few words in undeclared %s are guessed, once or repeated: %s', (charset, text) => {
    const once = `<item><title>${text}</title></item>`;

    expect(decode(iconv.encode(feed(null, once), charset))).toContain(text);
    expect(decode(iconv.encode(feed(null, once.repeat(5)), charset))).toContain(text);
  });

  it('a declaration of ASCII ranks last', () => {
    const bytes = iconv.encode(feed('windows-1251', 'Новости'), 'windows-1251');

    expect(decode(bytes, 'text/xml; charset=us-ascii')).toContain('Новости');
  });

  it('the declaration that can decode the bytes wins', () => {
    const bytes = iconv.encode(feed('windows-1251', 'Новости дня'), 'windows-1251');

    expect(decode(bytes, 'text/xml; charset=euc-jp')).toContain('Новости дня');
  });

  it.each([
    ['ujis', 'euc-jp', '日本'],
    ['8859_1', 'windows-1252', 'Größe'],
    ['ms-ee', 'windows-1250', 'Žluťoučký'],
    ['cp-is', 'cp861', 'Þór'],
    ['x-mac-ce', 'maccenteuro', 'Žluťoučký'],
    ['csWindows31J', 'cp932', '日本'],
  ])('%s is an alias of %s', (name, charset, text) => {
    expect(decode(iconv.encode(feed(name, text), charset))).toContain(text);
  });

  it('stray bytes in UTF-8 are read as windows-1252', () => {
    const bytes = Buffer.concat([
      Buffer.from(feed('utf-8', 'áéíóúñçãõ')),
      Buffer.from([0xe9, 0x20, 0x92]),
    ]);

    expect(decode(bytes)).toMatch(/áéíóúñçãõ.*é ’$/);
  });

  it('emoji in CESU-8 are combined', () => {
    const halves = Buffer.from([0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80]);

    expect(decode(Buffer.concat([Buffer.from('é'), halves, Buffer.from('ü')]))).toBe('é😀ü');
  });

  it('C1 controls are read as windows-1252 even in UTF-8', () => {
    expect(decode(Buffer.from(feed('utf-8', '\u0093so\u0094 \u0096 5 \u0080')))).toContain(
      '“so” – 5 €',
    );
  });

  it('a stray byte or a truncated end does not change the charset', () => {
    const text = Buffer.from(feed('utf-8', 'äöüß'.repeat(10)));
    const broken = Buffer.concat([
      text,
      Buffer.from([0xff]),
      Buffer.from('ok — é'),
      Buffer.from([0xc3]),
    ]);

    expect(decode(broken)).toContain('äöüß');
    expect(decode(broken)).toContain('ok — é');
  });

  it.each([
    ['It’s a “test”', [0xa0]],
    ['Größe', [0xff]],
    ['日本', [0xe6, 0x97]],
    ['Größe', [0xf0, 0x9f, 0x98]],
  ])('declared UTF-8 with fewer broken places than characters is UTF-8: %s', (text, broken) => {
    const [before = '', behind = ''] = feed('utf-8', `${text} @ end`).split('@');
    const bytes = Buffer.concat([Buffer.from(before), Buffer.from(broken), Buffer.from(behind)]);

    expect(decode(bytes)).toContain(`<t>${text} `);
    expect(decode(bytes, 'text/xml; charset=iso-8859-1')).toContain(`<t>${text} `);
  });

  it('a character that is cut is one sign, not several letters of windows-1252', () => {
    const bytes = Buffer.concat([Buffer.from('日本'), Buffer.from([0xe6, 0x97]), Buffer.from('…')]);

    expect(decode(bytes)).toBe('日本\uFFFD…');
  });

  it('stray bytes behind the mark of UTF-8 are read as windows-1252', () => {
    const text = Buffer.concat([Buffer.from(feed('utf-8', 'Größe')), Buffer.from([0xe9])]);

    expect(decode(mark([0xef, 0xbb, 0xbf], text))).toMatch(/Größe.*é$/);
  });

  it('the mark of UTF-8 before a document in another charset does not hide its declaration', () => {
    const text = iconv.encode(feed('windows-1251', 'Новости дня'), 'windows-1251');

    expect(decode(mark([0xef, 0xbb, 0xbf], text))).toContain('Новости дня');
  });

  it('seven-bit Japanese is read as declared', () => {
    const escaped = Buffer.from('1b2442467c4b5c1b2842', 'hex');
    const start = Buffer.from('<?xml version="1.0" encoding="iso-2022-jp"?><rss><t>');

    expect(decode(Buffer.concat([start, escaped, Buffer.from('</t></rss>')]))).toContain(
      '<t>日本</t>',
    );
  });

  it('characters that XML forbids are omitted', () => {
    expect(decode(Buffer.from('a\u0000b\u0008c\u000bd\u001fe\ufffef\tg\n'))).toBe('abcdef\tg\n');
  });
});
