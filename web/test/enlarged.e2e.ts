import type { Page } from '@playwright/test';
import { ADMIN, expect, logIn, test } from './fixtures.js';
import { publishFeed, subscribe } from './reader-feeds.js';

/** What the accessibility report (docs/accessibility.md) says of sizes, spacing and the keyboard, and axe-core does not try. */

const PAGES = [
  '/apps/news/',
  '/apps/news/all',
  '/apps/news/rules',
  '/apps/news/groups',
  '/apps/news/highlights',
  '/settings/user/profile',
  '/settings/user/reader',
  '/settings/user/notices',
  '/settings/user/connect',
  '/settings/user/security',
  '/apps/files/',
  '/apps/spreed',
  '/settings/admin/overview',
  '/settings/admin/users',
  '/settings/admin/groups',
  '/settings/admin/feeds',
  '/settings/admin/security',
];

/** WCAG 2.2, 1.4.12: the least that a page has to bear. */
const SPACING = `* {
  line-height: 1.5 !important;
  letter-spacing: 0.12em !important;
  word-spacing: 0.16em !important;
}
p { margin-bottom: 2em !important; }`;

async function open(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await page.locator('h1, h2').filter({ visible: true }).first().waitFor();
  // The visible parts have come once nothing of them changes any more.
  const words = () => page.evaluate(() => document.body.innerText);
  let before = '';
  await expect
    .poll(async () => {
      const same = before === (await words()) && before !== '';
      before = await words();
      return same;
    })
    .toBe(true);
}

/** Controls whose text is cut off, and whether the page scrolls sideways. */
async function faultsOf(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const root = document.documentElement;
    const wide = root.scrollWidth > root.clientWidth + 1 ? [`page: ${root.scrollWidth} px`] : [];
    const cut = [...document.querySelectorAll<HTMLElement>('button, label, h1, h2, h3, th')]
      .filter((it) => it.checkVisibility() && it.innerText.trim() !== '' && it.offsetWidth > 1)
      .filter((it) => {
        const { overflowX, overflowY, textOverflow } = getComputedStyle(it);
        const hides = (overflow: string) => overflow === 'hidden' || overflow === 'clip';
        return (
          textOverflow !== 'ellipsis' &&
          ((hides(overflowX) && it.scrollWidth > it.clientWidth + 1) ||
            (hides(overflowY) && it.scrollHeight > it.clientHeight + 1))
        );
      })
      .map((it) => `cut off: ${it.innerText.trim().slice(0, 60)}`);
    return [...wide, ...cut];
  });
}

test('every page fits a window of 320 pixels, with text spaced as WCAG 1.4.12 says', async ({
  page,
  service,
  feeds,
}) => {
  await logIn(page, service, ADMIN);
  await subscribe(service, ADMIN, publishFeed(feeds, '/enlarged.xml', 'Enlarged', 3));
  await page.setViewportSize({ width: 320, height: 640 });
  for (const place of PAGES) {
    await open(page, service.url + place);
    expect(await faultsOf(page), place).toEqual([]);
    await page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets.push(sheet);
    }, SPACING);
    expect(await faultsOf(page), `${place}, spaced`).toEqual([]);
  }
});

test('the Tab key reaches something new each time, which is shown and marked, and leaves the page at its end', async ({
  page,
  service,
  feeds,
}) => {
  test.setTimeout(120_000);
  await logIn(page, service, ADMIN);
  await subscribe(service, ADMIN, publishFeed(feeds, '/tabbed.xml', 'Tabbed', 3));
  await page.setViewportSize({ width: 1360, height: 800 });
  for (const place of PAGES) {
    await open(page, service.url + place);
    const seen = new Set<string>();
    for (let presses = 0; presses < 200; presses += 1) {
      await page.keyboard.press('Tab');
      const focused = await page.evaluate(() => {
        const it = document.activeElement;
        if (it === null || it === document.body) {
          return null;
        }
        // What is drawn by it, a part of it, or what is around it.
        const looks = () => {
          document.getAnimations().forEach((transition) => transition.finish());
          return [it, it.nextElementSibling ?? it, it.parentElement ?? it].flatMap((drawn) =>
            [undefined, '::before', '::after'].map((part) => {
              const { outline, boxShadow, backgroundColor, borderColor, opacity } =
                getComputedStyle(drawn, part);
              return [outline, boxShadow, backgroundColor, borderColor, opacity].join();
            }),
          );
        };
        const focusedLooks = looks().join();
        // A date has several stops inside, and would begin again at the first of them.
        const isDate = it.matches('[type="date"]');
        let isMarked = isDate;
        if (!isDate) {
          (it as HTMLElement).blur();
          isMarked = looks().join() !== focusedLooks;
          (it as HTMLElement).focus();
        }
        const all = [...document.querySelectorAll('*')];
        return {
          id: String(all.indexOf(it)),
          name: it.outerHTML.slice(0, 120),
          isFrame: it.tagName === 'IFRAME',
          isMarked,
          isDate,
        };
      });
      const [first] = seen;
      if (focused === null || focused.id === first) {
        break;
      }
      if (!focused.isDate) {
        expect([...seen], `${place}: ${focused.name} is new`).not.toContain(focused.id);
      }
      seen.add(focused.id);
      const isInWindow = () =>
        page.evaluate(() => {
          const box = document.activeElement?.getBoundingClientRect() ?? new DOMRect();
          const { left, top, right, bottom } = box;
          return right > 0 && bottom > 0 && left < innerWidth && top < innerHeight;
        });
      await expect.poll(isInWindow, `${place}: ${focused.name} is in the window`).toBe(true);
      expect(focused.isMarked || focused.isFrame, `${place}: ${focused.name} is marked`).toBe(true);
    }
    expect(seen.size, place).toBeGreaterThan(3);
    expect(seen.size, `${place} can be left`).toBeLessThan(200);
  }
});

test('controls are at least 24 pixels wide and high, or have that much room', async ({
  page,
  service,
  feeds,
}) => {
  await logIn(page, service, ADMIN);
  await subscribe(service, ADMIN, publishFeed(feeds, '/targets.xml', 'Targets', 3));
  await page.setViewportSize({ width: 390, height: 844 });
  for (const place of PAGES) {
    await open(page, service.url + place);
    const small = await page.evaluate(() => {
      const LEAST = 24;
      const controls = [
        ...document.querySelectorAll<HTMLElement>(
          'button, a[href], input:not([type="hidden"]), select, textarea, summary, [role="switch"], [role="menuitem"]',
        ),
      ].filter((it) => it.checkVisibility({ opacityProperty: true, visibilityProperty: true }));
      const boxOf = (it: HTMLElement) => (it.closest('label') ?? it).getBoundingClientRect();
      const middleOf = ({ left, top, width, height }: DOMRect) => [
        left + width / 2,
        top + height / 2,
      ];
      const isInText = (it: HTMLElement) =>
        it.tagName === 'A' && getComputedStyle(it).display === 'inline';
      return controls
        .filter((it) => {
          const box = boxOf(it);
          const isSmall = box.width > 1 && (box.width < LEAST - 0.5 || box.height < LEAST - 0.5);
          const [x = 0, y = 0] = middleOf(box);
          // A circle of that size around it touches no other control.
          const isCrowded = controls.some((other) => {
            const { left, right, top, bottom } = boxOf(other);
            const distanceX = Math.max(left - x, 0, x - right);
            const distanceY = Math.max(top - y, 0, y - bottom);
            return (
              other !== it &&
              !other.contains(it) &&
              !it.contains(other) &&
              Math.hypot(distanceX, distanceY) < LEAST / 2
            );
          });
          return isSmall && isCrowded && !isInText(it);
        })
        .map((it) => `${it.outerHTML.slice(0, 100)} ${JSON.stringify(boxOf(it))}`);
    });
    expect(small, place).toEqual([]);
  }
});

test('nothing moves for those who ask for less motion', async ({ page, service, ada, feeds }) => {
  await subscribe(service, ada, publishFeed(feeds, '/still.xml', 'Still', 3));
  await page.emulateMedia({ reducedMotion: 'reduce' });
  for (const place of ['/apps/news/', '/settings/user/profile', '/apps/files/']) {
    await open(page, service.url + place);
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .filter(({ effect }) => Number(effect?.getComputedTiming().duration ?? 0) > 10)
        .map(({ effect }) => (effect as KeyframeEffect | null)?.target?.outerHTML.slice(0, 100)),
    );
    expect(moving, place).toEqual([]);
  }
});
