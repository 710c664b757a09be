// npm run licences: every package of the running service has a licence that fits Gatefold's (Apache-2.0).
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const ALLOWED = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** Packages with other licences, and why they are no problem. */
const EXCEPTIONS = [
  { packages: /^pause$/, reason: 'MIT, which only its Readme.md says' },
  {
    // LGPL, alone or with others.
    packages: /^@img\/sharp-/,
    reason: 'libvips is loaded as a library of its own, which operators can replace',
  },
];

const root = fileURLToPath(new URL('..', import.meta.url));
const read = (file) => JSON.parse(readFileSync(`${root}/${file}`, 'utf8'));

const problems = [];
let count = 0;
for (const [place, entry] of Object.entries(read('package-lock.json').packages)) {
  const name = place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length);
  if (place === '' || entry.dev || EXCEPTIONS.some(({ packages }) => packages.test(name))) {
    continue;
  }
  count += 1;
  const licence = entry.license ?? licenceOf(place);
  if (!fits(licence)) {
    problems.push(`${name} ${entry.version}: ${licence ?? 'no licence is named'}`);
  }
}

if (problems.length > 0) {
  process.stderr.write(
    `These licences are not in the list of deploy/licences.mjs:\n  ${problems.join('\n  ')}\n`,
  );
  process.exitCode = 1;
} else {
  process.stdout.write(`${count} packages have licences of the list.\n`);
}

/** Of an installed package whose package.json has the older field `licenses`. */
function licenceOf(place) {
  const { license, licenses = [] } = read(`${place}/package.json`);
  return license ?? licenses.map(({ type }) => type).join(' OR ');
}

/** Understands `A`, `(A OR B)` and `A AND B`. */
function fits(expression) {
  if (!expression) {
    return false;
  }
  const plain = expression.replace(/[()]/g, '');
  return plain
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((licence) => ALLOWED.has(licence.trim())));
}
