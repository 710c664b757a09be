// npm run sbom: writes the components of the running service to standard output, as CycloneDX JSON.
// From the lock file, which names what is installed anywhere. "npm sbom --omit dev" drops packages that development packages need, too, so it is asked for all.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const LARGEST_OUTPUT_BYTES = 64 * 1024 * 1024;

const all = JSON.parse(
  execFileSync('npm', ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx'], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    encoding: 'utf8',
    maxBuffer: LARGEST_OUTPUT_BYTES,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
);

const isForDevelopment = ({ properties = [] }) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true');

const components = all.components.filter((component) => !isForDevelopment(component));
const kept = new Set([
  all.metadata.component['bom-ref'],
  ...components.map((component) => component['bom-ref']),
]);
const dependencies = all.dependencies
  .filter(({ ref }) => kept.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((on) => kept.has(on)) }));

process.stdout.write(`${JSON.stringify({ ...all, components, dependencies }, null, 2)}\n`);
